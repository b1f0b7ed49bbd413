import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// The format of a key: svcpk_<keyId>_<secret>. keyId is 12 base32 characters. The secret is 32 bytes in base62 and then
// a checksum, with which we and secret scanners can spot a mistyped key without a database query.

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

/** Derives a secret from the key's row id and an idempotency key, so that a replay can return it without storing it. */
export const derivedSecret = (serviceKey: Buffer, keyRowId: string, idempotencyKey: string): Buffer =>
  createHmac('sha256', serviceKey).update(`${keyRowId}\n${idempotencyKey}`).digest()

export const keyPrefix = (keyId: string): string => `svcpk_${keyId}`

/** The full key as text. Its owner sees it only once. */
export function writeKey(keyId: string, secret: Buffer): string {
  const body = `${keyPrefix(keyId)}_${toBase62(BigInt(`0x${secret.toString('hex')}`), secretCharacters)}`
  return body + checksum(body)
}

export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Parses a key. Returns undefined if the format or the checksum is wrong. */
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
