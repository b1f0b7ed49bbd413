import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../platform/secrets.ts'

// A secret that belongs to one row: the row's id and a code over it. It can be made again, so nothing is stored.

const idBytes = 16
const codeBytes = 24

export interface BoundSecret {
  /** The secret of this row. */
  of(secrets: Secrets, id: string): string
  /** Whose secret this is; undefined when it is none of ours. */
  idIn(secrets: Secrets, text: string): string | undefined
}

export const boundSecret = (prefix: string, purpose: string): BoundSecret => {
  const of = (secrets: Secrets, id: string): string => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    const code = createHmac('sha256', secrets.key(purpose)).update(bytes).digest().subarray(0, codeBytes)
    return prefix + Buffer.concat([bytes, code]).toString('base64url')
  }
  return {
    of,
    idIn(secrets, text) {
      if (!text.startsWith(prefix)) return undefined
      const hex = Buffer.from(text.slice(prefix.length), 'base64url').toString('hex', 0, idBytes)
      if (hex.length !== idBytes * 2) return undefined
      const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
      const expected = Buffer.from(of(secrets, id))
      const given = Buffer.from(text)
      return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined
    },
  }
}

/** Held by whoever asked for a challenge. */
export const pollSecret = boundSecret('svcps_', 'challenge-poll')

/** Held by whoever asked for a transfer login. */
export const loginSecret = boundSecret('svcls_', 'transfer-login')

/** Held by whoever began a checkout. */
export const checkoutSecret = boundSecret('svccc_', 'checkout')

/** What a gift link is called by: without a prefix, since people see it in an address. */
export const giftToken = boundSecret('', 'gift-link')
