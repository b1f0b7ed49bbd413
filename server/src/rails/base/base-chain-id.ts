export const baseChainId = 8453
