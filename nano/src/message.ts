import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { parseNanoAddress } from './address.ts'
import { parseHex, upperHex } from './hex.ts'
import { hasSigned, signBytes } from './keys.ts'

/** How a wallet signs a text: by ORIS-001 (`noms`), or as a plain hash of its bytes (`plain`, older but still in use). */
export type MessageForm = 'noms' | 'plain'

const digestBytes = 32
const signatureBytes = 64
const utf8 = new TextEncoder()
const nomsHeader = utf8.encode('\x18Nano Off-chain Message:\n')

/** The digest that is signed for a text. A text cannot collide with a block, because the hash input of a block has zero bytes. */
export function messageDigest(text: string, form: MessageForm): Uint8Array {
  const bytes = utf8.encode(text)
  if (form === 'plain') return blake2b(bytes, { dkLen: digestBytes })
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, bytes.length)
  return blake2b(concatBytes(nomsHeader, size, bytes), { dkLen: digestBytes })
}

export const signMessage = (text: string, form: MessageForm, secretKey: Uint8Array): string =>
  upperHex(signBytes(messageDigest(text, form), secretKey))

/** Whether the account signed this text, in either form. `signature` is 128 hexadecimal digits. */
export function hasSignedMessage(address: string, text: string, signature: string): boolean {
  const publicKey = parseNanoAddress(address)
  const bytes = parseHex(signature, signatureBytes)
  if (publicKey === undefined || bytes === undefined) return false
  return (['noms', 'plain'] as const).some((form) => hasSigned(publicKey, messageDigest(text, form), bytes))
}

/**
 * Whether the account signed the bytes of this text without hashing them, as wallets do for `nanoauth:` links. A text of
 * 32 bytes is always refused, because it could be the hash of a block.
 */
export function hasSignedText(address: string, text: string, signature: string): boolean {
  const publicKey = parseNanoAddress(address)
  const signatureOf = parseHex(signature, signatureBytes)
  const bytes = utf8.encode(text)
  if (publicKey === undefined || signatureOf === undefined || bytes.length === digestBytes) return false
  return hasSigned(publicKey, bytes, signatureOf)
}
