import { Readable } from 'node:stream'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import {
  type downloadExport as declared,
  exportNotFound,
  exportRunning,
  maxDownloads,
} from '@pennypost/contract/personal-data'
import { refuse } from '../platform/http/refuse.ts'
import { zipStream } from '../platform/zip-stream.ts'
import { exportEntries } from './export-entries.ts'
import { beginDownload, endDownload, renewDownload } from './export-store.ts'
import type { Handler, PersonalDataServices } from './services.ts'

const renewMs = 10_000
const retryBusySeconds = 30

export const downloadExport: Handler<typeof declared> = async (services, { caller, params, origin }) => {
  const { db, clock, config } = services
  const { accountId } = caller
  const now = clock.now()
  const wanted = { ...params, accountId, maxDownloads, maxRunning: config.exportsAtOnce }
  const begun = await db.transaction().execute((tx) => beginDownload(tx, wanted, now))
  if (begun === 'not-found') return refuse(exportNotFound)
  if (begun === 'running') return refuse(exportRunning)
  if (begun === 'busy') return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: retryBusySeconds })
  const archive = zipStream(exportEntries(services, { accountId, origin, startedAt: now }))
  return {
    status: 200,
    headers: {
      'content-disposition': `attachment; filename="${caller.account.handle}-${now.toISOString().slice(0, 10)}.zip"`,
      'cache-control': 'private, no-store',
    },
    body: Readable.from(renewing(services, begun.runId, archive), { objectMode: false }),
  }
}

/**
 * Passes bytes on and keeps the download's place while its client reads. One that stops reading for a minute loses the place
 * to others, and then the download. It ends when the client leaves.
 */
async function* renewing(
  { db, clock }: PersonalDataServices,
  runId: string,
  archive: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let renewedAt = clock.now().getTime()
  try {
    for await (const bytes of archive) {
      yield bytes
      const now = clock.now()
      if (now.getTime() - renewedAt < renewMs) continue
      if (!(await renewDownload(db, runId, now))) throw new Error('the download stood still for a minute')
      renewedAt = now.getTime()
    }
  } finally {
    await endDownload(db, runId)
  }
}
