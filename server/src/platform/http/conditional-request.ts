import { createHash, hash as hashOnce } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

// Replies that a client may have already (RFC 9110 §8.8, §13).

/**
 * A name for whatever was made of these parts. Weak: it promises the same content, and says nothing of compression on
 * the way.
 */
export function etagOf(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  // Each with its length: `ab`, `c` and `a`, `bc` are two things.
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return `W/"${hash.digest('base64url').slice(0, 27)}"`
}

/** The same of something long, by its bytes. */
export const etagOfBytes = (bytes: Uint8Array): string => `W/"${hashOnce('sha256', bytes, 'base64url').slice(0, 27)}"`

/** Whether a request says that it holds the reply with these headers. A name counts for more than a time. */
export function isNotModified(request: IncomingHttpHeaders, reply: Readonly<Record<string, string>>): boolean {
  const { etag, 'last-modified': modified } = reply
  const held = request['if-none-match']
  if (held !== undefined) return etag !== undefined && (held.trim() === '*' || namesIn(held).has(opaque(etag)))
  const since = Date.parse(request['if-modified-since'] ?? '')
  return modified !== undefined && Date.parse(modified) <= since
}

const opaque = (etag: string): string => etag.replace(/^W\//, '')

const namesIn = (header: string): ReadonlySet<string> =>
  new Set([...header.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)].map((found) => found[1]!))
