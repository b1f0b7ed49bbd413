// Amounts are digit strings of the smallest unit on the wire, bigints inside, and never floating point (§1). Here is what
// pages in a browser need of that too: no schemas.

export type Asset = 'XNO' | 'USDC'

/** 1 XNO = 10^30 raw; 1 USDC = 10^6 atomic units. */
export const decimalsOf: Readonly<Record<Asset, number>> = { XNO: 30, USDC: 6 }

/** The network an asset moves on, as x402 names it. */
export const networkOf = { XNO: 'nano:mainnet', USDC: 'eip155:8453' } as const satisfies Record<Asset, string>

/** The amount in whole units, exactly: no trailing zeros, nothing rounded. */
export function formatAmount(asset: Asset, atomic: bigint): string {
  const decimals = decimalsOf[asset]
  const digits = atomic.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return digits.slice(0, -decimals) + (fraction && `.${fraction}`)
}

/**
 * The amount that a decimal text of whole units stands for, or undefined: too many decimals are refused, never rounded.
 * @example parseAmount('XNO', '0.25') // 250000000000000000000000000000n
 */
export function parseAmount(asset: Asset, text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,14})(?:\.(\d+))?$/.exec(text) ?? []
  const decimals = decimalsOf[asset]
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}
