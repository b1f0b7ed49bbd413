import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'

// The id of the link and a seal over it: who holds one can read it again, and the database holds nothing that opens.

const idBytes = 16
const sealBytes = 16

const sealOf = (secrets: Secrets, id: Buffer): Buffer =>
  createHmac('sha256', secrets.key('gift-link')).update(id).digest().subarray(0, sealBytes)

export function giftToken(secrets: Secrets, linkId: string): string {
  const id = Buffer.from(linkId.replaceAll('-', ''), 'hex')
  return Buffer.concat([id, sealOf(secrets, id)]).toString('base64url')
}

/** The link that a token is of; undefined for what we never made. */
export function linkIdOf(secrets: Secrets, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Not every spelling of the same bytes: one link has one token.
  if (bytes.length !== idBytes + sealBytes || bytes.toString('base64url') !== token) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), sealOf(secrets, id))) return undefined
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
