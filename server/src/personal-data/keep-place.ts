import { endDownload, renewDownload } from './export-store.ts'
import type { PersonalDataServices } from './services.ts'

const renewMs = 10_000
/** Downloads may be slow in their first minute. */
const graceMs = 60_000
/** There are few places, and a client that reads slower than this would keep its place for hours. */
const minBytesPerSecond = 64 * 1024

/**
 * Passes bytes on and keeps the download's place while its client reads. One that stops reading for a minute, or reads too
 * slowly, loses the place to others, and the download. It ends when the client leaves.
 */
export async function* keepPlace(
  { db, clock }: Pick<PersonalDataServices, 'db' | 'clock'>,
  runId: string,
  archive: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const startedAt = clock.now().getTime()
  let renewedAt = startedAt
  let sentBytes = 0
  try {
    for await (const bytes of archive) {
      yield bytes
      sentBytes += bytes.length
      const now = clock.now()
      if (now.getTime() - renewedAt < renewMs) continue
      const elapsedMs = now.getTime() - startedAt
      if (elapsedMs > graceMs && sentBytes < (minBytesPerSecond * elapsedMs) / 1000)
        throw new Error('the download is too slow')
      if (!(await renewDownload(db, runId, now))) throw new Error('the download stood still for a minute')
      renewedAt = now.getTime()
    }
  } finally {
    await endDownload(db, runId)
  }
}
