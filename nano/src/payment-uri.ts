import { parseNanoAddress } from './address.ts'
import { isRaw } from './block.ts'

/** Texts that a wallet shows beside the amount. */
export interface PaymentNote {
  /** Who is paid. */
  readonly label?: string
  /** The purpose of the payment, which the wallet shows. */
  readonly message?: string
}

/** A QR code has to be read by a phone's camera, so notes are short: this many characters, once they are encoded. */
const maxNoteLength = 60

/**
 * The URI that a wallet opens to pay, as a link or QR code. The amount is in raw. Long notes are cut.
 * @example paymentUri('nano_3t6k…ohr3', 10n ** 30n) // 'nano:nano_3t6k…ohr3?amount=1000000000000000000000000000000'
 */
export function paymentUri(address: string, amountRaw?: bigint, { label, message }: PaymentNote = {}): string {
  if (parseNanoAddress(address) === undefined) throw new RangeError(`${address} is not an address`)
  if (amountRaw !== undefined && !isRaw(String(amountRaw))) throw new RangeError(`${amountRaw} is not an amount in raw`)
  const parameters = [
    amountRaw === undefined ? '' : `amount=${amountRaw}`,
    label ? `label=${encodedNote(label)}` : '',
    message ? `message=${encodedNote(message)}` : '',
  ].filter((parameter) => parameter !== '')
  return parameters.length === 0 ? `nano:${address}` : `nano:${address}?${parameters.join('&')}`
}

/** Cuts between characters, so that the rest can still be decoded. */
function encodedNote(text: string): string {
  let encoded = ''
  for (const character of text) {
    // A lone half of a character cannot be encoded.
    const next = encodeURIComponent(/^[\ud800-\udfff]$/.test(character) ? '\ufffd' : character)
    if (encoded.length + next.length > maxNoteLength) return encoded
    encoded += next
  }
  return encoded
}

/** Parses a payment URI, or returns undefined if it is not one. Other parameters are ignored. */
export function parsePaymentUri(text: string): { address: string; amountRaw: bigint | undefined } | undefined {
  const [, address, query] = /^(?:nano|xrb):([^?]*)(?:\?(.*))?$/is.exec(text) ?? []
  if (address === undefined || parseNanoAddress(address) === undefined) return undefined
  const amount = new URLSearchParams(query ?? '').get('amount')
  if (amount === null) return { address, amountRaw: undefined }
  return isRaw(amount) ? { address, amountRaw: BigInt(amount) } : undefined
}
