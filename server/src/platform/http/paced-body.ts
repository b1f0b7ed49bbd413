import { finished, type Readable } from 'node:stream'

/** Handles a piece of a body when it is its sender's turn. */
export type Pace = (bytes: number, work: () => Promise<void>) => Promise<void>

// A turn ends after this time, so that a slow file store does not hold up the uploads of others.
const maxTurnMs = 200
// A turn for each chunk of a socket would cost more than what is done with it. Larger pieces cost more memory when
// many parts come at a time.
const pieceBytes = 128 * 1024

/** The chunks of a body, a piece at a time when it is its sender's turn. The turn lasts until the next piece is asked for. */
export async function* pacedBody(body: Readable, pace: Pace): AsyncGenerator<Uint8Array, void> {
  for await (const chunks of inPieces(body)) {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    const endTurn = await takeTurn(bytes, pace)
    try {
      yield* chunks
    } finally {
      endTurn()
    }
  }
}

/** Resolves when the turn begins, with a function that ends it. */
const takeTurn = (bytes: number, pace: Pace): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const turn = () =>
      new Promise<void>((end) => {
        const timer = setTimeout(end, maxTurnMs)
        resolve(() => {
          clearTimeout(timer)
          end()
        })
      })
    pace(bytes, turn).catch(reject)
  })

/**
 * Collects the chunks of a stream into pieces. While one piece is handled the next one is collected. A body that is no
 * longer wanted is read to its end, because the next request on the connection follows it.
 */
async function* inPieces(body: Readable): AsyncGenerator<readonly Uint8Array[], void> {
  let chunks: Uint8Array[] = []
  let length = 0
  let failure: Error | null | undefined
  let hasEnded = false
  let wake = () => {}
  const collect = (chunk: Uint8Array): void => {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length < pieceBytes) return
    body.pause()
    wake()
  }
  const forget = finished(body, { writable: false }, (error) => {
    failure = error
    hasEnded = true
    wake()
  })
  body.on('data', collect)
  try {
    while (true) {
      if (!hasEnded && length < pieceBytes) await new Promise<void>((resolve) => (wake = resolve))
      if (failure) throw failure
      if (length === 0) return
      const piece = chunks
      chunks = []
      length = 0
      if (!hasEnded) body.resume()
      yield piece
    }
  } finally {
    body.off('data', collect)
    forget()
    body.resume()
  }
}
