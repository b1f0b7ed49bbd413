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
import { beginDownload } from './export-store.ts'
import { keepPlace } from './keep-place.ts'
import type { Handler } from './services.ts'

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
    body: Readable.from(keepPlace(services, begun.runId, archive), { objectMode: false }),
  }
}
