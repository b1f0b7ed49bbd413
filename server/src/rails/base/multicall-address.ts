/** Multicall3 has the same address on every public chain. */
export const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'
