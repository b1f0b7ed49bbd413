import { type Asset, unitsOf } from '@pennypost/sdk'
import { usageError } from '../frame/cli-error.ts'

export interface Amount {
  readonly amount: string
  readonly asset: Asset
}

/** Reads an amount such as `0.10USDC` or `0.5 XNO`. */
export function readAmount(text: string, what: string): Amount {
  const [, amount, name] = /^(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-z]+)$/.exec(text.trim()) ?? []
  const asset = name?.toUpperCase()
  if (amount === undefined || (asset !== 'XNO' && asset !== 'USDC'))
    throw usageError(`${what} is an amount and a currency, such as 0.10USDC or 0.5XNO.`)
  try {
    if (BigInt(unitsOf(asset, amount)) > 0n) return { amount, asset }
  } catch {
    throw usageError(`${what} has more decimals than ${asset} has.`)
  }
  throw usageError(`${what} must be more than zero.`)
}

/** Several amounts, one for each currency. */
export function readAmounts(texts: readonly string[], what: string): Partial<Record<Asset, string>> {
  const amounts: Partial<Record<Asset, string>> = {}
  for (const text of texts.flatMap((each) => each.split(','))) {
    const { amount, asset } = readAmount(text, what)
    if (amounts[asset] !== undefined) throw usageError(`${what} names ${asset} twice.`)
    amounts[asset] = amount
  }
  return amounts
}
