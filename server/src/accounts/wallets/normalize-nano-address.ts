import { validation } from '@pennypost/contract/errors'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { refuse } from '../../platform/http/refuse.ts'

/** Normalizes a Nano address. People paste the old `xrb_` prefix, and QR codes are often in upper case. */
export const normalizeNanoAddress = (text: string): string | undefined => {
  const publicKey = parseNanoAddress(text.toLowerCase())
  return publicKey && nanoAddress(publicKey)
}

export const requireNanoAddress = (text: string): string =>
  normalizeNanoAddress(text) ??
  refuse(validation, { errors: [{ field: 'account', code: 'invalid_address', message: 'is not a Nano address' }] })
