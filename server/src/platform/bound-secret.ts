import { createHmac, timingSafeEqual } from 'node:crypto'
import { generationsOf, type Secrets } from './secrets.ts'

const idBytes = 16
const codeBytes = 24

/** A secret that belongs to one row: the row's id with a MAC over it. It can be derived again, so it is not stored. */
export interface BoundSecret {
  /** The secret of this row. */
  of(secrets: Secrets, id: string): string
  /** The id of the row that the secret belongs to; undefined if we did not make it. */
  readId(secrets: Secrets, text: string): string | undefined
}

export const boundSecret = (prefix: string, purpose: string): BoundSecret => {
  const of = (secrets: Secrets, id: string): string => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    const code = createHmac('sha256', secrets.key(purpose)).update(bytes).digest().subarray(0, codeBytes)
    return prefix + Buffer.concat([bytes, code]).toString('base64url')
  }
  return {
    of,
    readId(secrets, text) {
      if (!text.startsWith(prefix)) return undefined
      const hex = Buffer.from(text.slice(prefix.length), 'base64url').toString('hex', 0, idBytes)
      if (hex.length !== idBytes * 2) return undefined
      const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
      const given = Buffer.from(text)
      const isOurs = generationsOf(secrets).some((each) => {
        const expected = Buffer.from(of(each, id))
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
      return isOurs ? id : undefined
    },
  }
}
