import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { wish } from './content-negotiation.ts'

// Public replies, compressed once for as long as they are asked for. They are named by their ETag, which stands for their
// content, so that nothing kept here can be out of date.

type Coding = 'br' | 'gzip'

const inBrotli = promisify(brotliCompress)
const inGzip = promisify(gzip)

// Fast enough for whoever waits for it the first time; the highest takes fifty times as long for a tenth less.
const compressors: Readonly<Record<Coding, (bytes: Uint8Array | string) => Promise<Buffer>>> = {
  br: (bytes) => inBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => inGzip(bytes, { level: 6 }),
}

/** Only what the client names: `*` is what programs say that then store what they got as it came. */
export const contentCodingFor = (acceptEncoding: string | undefined): Coding | undefined =>
  acceptEncoding === undefined
    ? undefined
    : (['br', 'gzip'] as const).find((name) => {
        const { isNamed, quality } = wish(acceptEncoding, name)
        return isNamed && quality > 0
      })

interface Kept {
  readonly bytes: Promise<Buffer>
  /** None until it is made. */
  sizeBytes: number
}

const mostKeptBytes = 24 * 1024 * 1024
const kept = new Map<string, Kept>()
let keptBytes = 0

/** The reply of this ETag in a coding. `make` gives it as it is, where it was not compressed before. */
export function compressedReply(
  coding: Coding,
  etag: string,
  make: () => Uint8Array | string | Promise<Uint8Array | string>,
): Promise<Buffer> {
  const key = coding + etag
  const known = kept.get(key)
  if (known) {
    // Asked for again: it is the last to go.
    kept.delete(key)
    kept.set(key, known)
    return known.bytes
  }
  const made: Kept = { bytes: Promise.resolve(make()).then(compressors[coding]), sizeBytes: 0 }
  kept.set(key, made)
  made.bytes.then(
    ({ length }) => {
      made.sizeBytes = length
      keptBytes += length
      makeRoom()
    },
    () => kept.delete(key),
  )
  return made.bytes
}

function makeRoom(): void {
  for (const [key, { sizeBytes }] of kept) {
    if (keptBytes <= mostKeptBytes) return
    // What is being made is not counted yet.
    if (sizeBytes === 0) continue
    kept.delete(key)
    keptBytes -= sizeBytes
  }
}
