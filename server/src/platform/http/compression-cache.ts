import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { namedCoding } from './content-negotiation.ts'

type Coding = 'br' | 'gzip'
type Body = Uint8Array | string

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

// Fast enough for the first client, who waits for it. The highest level takes fifty times as long and saves a tenth.
const compressors: Readonly<Record<Coding, (body: Body) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => gzipped(body, { level: 6 }),
}

const codings: readonly Coding[] = ['br', 'gzip']

/** The content coding to use, if any. A client must name it: programs that send `*` often store the bytes as they come. */
export const contentCodingFor = (acceptEncoding: string | undefined): Coding | undefined =>
  namedCoding(acceptEncoding, codings)

interface Source {
  readonly coding: Coding
  readonly make: () => Body | Promise<Body>
}

// Keyed by ETag, which changes with the content, so an entry is never out of date.
const cache = new LRUCache<string, Buffer, Source>({
  maxSize: 24 * 1024 * 1024,
  sizeCalculation: (bytes) => bytes.length,
  // An entry that is evicted while it is being compressed is still sent to the clients that wait for it.
  ignoreFetchAbort: true,
  fetchMethod: async (_key, _stale, { context: { coding, make } }) => compressors[coding](await make()),
})

/** The compressed reply with this ETag. `make` returns the uncompressed body; it is called only on a cache miss. */
export async function compressedReply(coding: Coding, etag: string, make: Source['make']): Promise<Buffer> {
  const key = coding + etag
  // `get` first: it is several times faster on a hit. Concurrent misses share one compression.
  return cache.get(key) ?? cache.forceFetch(key, { context: { coding, make } })
}
