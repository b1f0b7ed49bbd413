import { validation } from '@pennypost/contract/errors'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { refuse } from '../../platform/http/refuse.ts'

/** The address in the one spelling we keep: people paste the old prefix, and codes to scan are often in capitals. */
export const findNanoAccount = (text: string): string | undefined => {
  const publicKey = parseNanoAddress(text.toLowerCase())
  return publicKey && nanoAddress(publicKey)
}

export const readNanoAccount = (text: string): string =>
  findNanoAccount(text) ??
  refuse(validation, { errors: [{ field: 'account', code: 'invalid_address', message: 'is not a Nano address' }] })
