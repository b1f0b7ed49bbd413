import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// svcpk_<keyId>_<secret>: keyId is 12 characters of base32; the secret is 32 bytes in base62 and a checksum, so that a
// scanner, and we, can tell a real key from a mistyped one without asking the database.

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretCharacters = 43
const checksumCharacters = 6
const form = /^svcpk_([a-z2-7]{12})_([0-9A-Za-z]{49})$/

export interface ParsedKey {
  readonly keyId: string
  readonly secretHash: Buffer
}

export const newKeyId = (): string => Array.from(randomBytes(12), (byte) => base32[byte % 32]).join('')

export const randomSecret = (): Buffer => randomBytes(32)

/** A secret that can be made again from the same two things, so that a replay needs nothing stored. */
export const derivedSecret = (serviceKey: Buffer, keyRowId: string, idempotencyKey: string): Buffer =>
  createHmac('sha256', serviceKey).update(`${keyRowId}\n${idempotencyKey}`).digest()

export const keyPrefix = (keyId: string): string => `svcpk_${keyId}`

/** The full key, as its owner sees it once. */
export function writeKey(keyId: string, secret: Buffer): string {
  const body = `${keyPrefix(keyId)}_${toBase62(BigInt(`0x${secret.toString('hex')}`), secretCharacters)}`
  return body + checksum(body)
}

export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Undefined for anything that was never one of our keys. */
export function parseKey(text: string): ParsedKey | undefined {
  const match = form.exec(text)
  if (!match || checksum(text.slice(0, -checksumCharacters)) !== text.slice(-checksumCharacters)) return undefined
  return { keyId: match[1]!, secretHash: hashOfKey(text) }
}

const checksum = (text: string): string => toBase62(BigInt(crc32(text)), checksumCharacters)

function toBase62(value: bigint, width: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = base62[Number(rest % 62n)] + text
  return text.padStart(width, '0')
}
