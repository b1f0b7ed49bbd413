import { parseAmount } from '@pennypost/contract/money'

/** A price such as `0.1 XNO`, or undefined if the text is not a price. */
export function readPrice(text: string): { readonly currency: 'XNO' | 'USDC'; readonly atomic: string } | undefined {
  const [, amount, name] = /^(\d{1,30}(?:\.\d{1,30})?)\s*([A-Za-z]+)$/.exec(text.trim()) ?? []
  const currency = name?.toUpperCase()
  if (currency !== 'XNO' && currency !== 'USDC') return undefined
  const atomic = parseAmount(currency, amount!)
  return atomic === undefined ? undefined : { currency, atomic: String(atomic) }
}
