import { parseNanoAddress } from './address.ts'
import { isRaw } from './block.ts'

/**
 * The URI that a wallet opens to pay, as a link or QR code. The amount is in raw.
 * @example paymentUri('nano_3t6k…ohr3', 10n ** 30n) // 'nano:nano_3t6k…ohr3?amount=1000000000000000000000000000000'
 */
export function paymentUri(address: string, amountRaw?: bigint): string {
  if (parseNanoAddress(address) === undefined) throw new RangeError(`${address} is not an address`)
  if (amountRaw === undefined) return `nano:${address}`
  if (!isRaw(String(amountRaw))) throw new RangeError(`${amountRaw} is not an amount in raw`)
  return `nano:${address}?amount=${amountRaw}`
}

/** Parses a payment URI, or returns undefined if it is not one. Other parameters are ignored. */
export function parsePaymentUri(text: string): { address: string; amountRaw: bigint | undefined } | undefined {
  const [, address, query] = /^(?:nano|xrb):([^?]*)(?:\?(.*))?$/is.exec(text) ?? []
  if (address === undefined || parseNanoAddress(address) === undefined) return undefined
  const amount = new URLSearchParams(query ?? '').get('amount')
  if (amount === null) return { address, amountRaw: undefined }
  return isRaw(amount) ? { address, amountRaw: BigInt(amount) } : undefined
}
