import { createHash, hash as hashOnce } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

// ETags and conditional requests (RFC 9110, sections 8.8 and 13).

/** A weak ETag of a body made from these parts. It is the same for compressed and uncompressed replies. */
export function etagOf(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  // Each part with its length, so that `ab`, `c` and `a`, `bc` differ.
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return `W/"${hash.digest('base64url').slice(0, 27)}"`
}

/** A weak ETag of a long body. */
export const etagOfBytes = (bytes: Uint8Array): string => `W/"${hashOnce('sha256', bytes, 'base64url').slice(0, 27)}"`

/** Whether the client already has the reply with these headers. `If-None-Match` takes precedence over a time. */
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
