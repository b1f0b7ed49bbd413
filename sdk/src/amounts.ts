import { amountOf as branded, formatAmount, parseAmount } from '@pennypost/contract/money'

/** A currency: Nano, or USDC on Base. */
export type Asset = 'XNO' | 'USDC'

/**
 * The smallest units (raw of Nano, atomic units of USDC) of an amount in whole coins. Exact: more decimals than the
 * currency has are an error.
 * @example unitsOf('XNO', '0.25') // '250000000000000000000000000000'
 */
export function unitsOf(asset: Asset, amount: string): string {
  const units = parseAmount(asset, amount)
  if (units === undefined) throw new RangeError(`${amount} is not an amount of ${asset}`)
  return units.toString()
}

/**
 * An amount in whole coins, from its smallest units. Exact.
 * @example amountOf('USDC', '250000') // '0.25'
 */
export const amountOf = (asset: Asset, units: string | bigint): string => formatAmount(asset, branded(asset, units))
