import { setTimeout as wait } from 'node:timers/promises'

/** Handles a piece of a body when it is its sender's turn. */
export type Pace = (bytes: number, work: () => Promise<void>) => Promise<void>

// A file store that is slow to take a piece does not keep the turn from the uploads of others.
const longestTurnMs = 200

/** The pieces of a body, each given when it is its sender's turn. The turn lasts until the next piece is asked for. */
export async function* pacedBody(body: AsyncIterable<Uint8Array>, pace: Pace): AsyncGenerator<Uint8Array, void> {
  for await (const piece of body) {
    const handled = new AbortController()
    await new Promise<void>((resolve, reject) => {
      const turn = async () => {
        resolve()
        await wait(longestTurnMs, undefined, { signal: handled.signal }).catch(() => {})
      }
      pace(piece.byteLength, turn).catch(reject)
    })
    try {
      yield piece
    } finally {
      handled.abort()
    }
  }
}
