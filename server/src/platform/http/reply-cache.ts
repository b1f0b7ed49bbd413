import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { namedCoding } from './content-negotiation.ts'

type Compression = 'br' | 'gzip'
type Coding = Compression | 'identity'
type Body = Uint8Array | string

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

// Fast enough for the first client, who waits for it. The highest level takes fifty times as long and saves a tenth.
const encoders: Readonly<Record<Coding, (body: Body) => Promise<Buffer>>> = {
  br: async (body) => ownBytes(await brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })),
  gzip: async (body) => ownBytes(await gzipped(body, { level: 6 })),
  identity: async (body) => Buffer.from(body as string),
}

/** A copy that fits. What zlib returns is a part of 8 or 16 KB, all of which would stay in memory. */
function ownBytes(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

const compressions: readonly Compression[] = ['br', 'gzip']

/** The content coding to use, if any. A client must name it: programs that send `*` often store the bytes as they come. */
export const contentCodingFor = (acceptEncoding: string | undefined): Compression | undefined =>
  namedCoding(acceptEncoding, compressions)

interface Source {
  readonly coding: Coding
  readonly make: () => Body | Promise<Body>
}

// Keyed by ETag, which changes with the content, so an entry is never out of date.
const cache = new LRUCache<string, Buffer, Source>({
  maxSize: 24 * 1024 * 1024,
  sizeCalculation: (bytes) => bytes.length,
  // An entry that is evicted while it is being made is still sent to the clients that wait for it.
  ignoreFetchAbort: true,
  fetchMethod: async (_key, _stale, { context: { coding, make } }) => encoders[coding](await make()),
})

export const emptyReplyCache = (): void => cache.clear()

/** The reply with this ETag in a coding. `make` returns its body; it is called only on a cache miss. */
export async function cachedReply(coding: Coding, etag: string, make: Source['make']): Promise<Buffer> {
  const key = coding + etag
  // `get` first: it is several times faster on a hit. Concurrent misses share one encoding.
  return cache.get(key) ?? cache.forceFetch(key, { context: { coding, make } })
}
