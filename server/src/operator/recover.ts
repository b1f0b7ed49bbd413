import type { Config } from '../config.ts'
import { type RecoverOptions, type Recovery, recover } from '../payments/recovery/recover.ts'
import { createClosers } from '../platform/closers.ts'
import { findDatabase } from '../platform/database/find-database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { startWorker } from '../platform/jobs/worker.ts'
import type { Log } from '../platform/log.ts'
import { verifySecrets } from '../platform/secrets.ts'
import { countUnfinishedSends } from '../rails/nano/custody/block-store.ts'
import { jobs } from '../rooms.ts'
import { migrationsFolder } from '../service.ts'
import { openServices } from '../services.ts'

const closeMs = 5_000
const checkMs = 500

/** Recovers lost records, whether the service is running or not, and waits until everything owed is sent. */
export async function recoverService(config: Config, log: Log, options: RecoverOptions): Promise<Recovery> {
  const place = await findDatabase(config)
  const closers = createClosers({
    hangMs: closeMs,
    onFailure: (error) => log.warn({ cause: error.message }, 'something did not stop cleanly'),
  })
  closers.add(() => place.leave())
  try {
    await migrate(place.url, migrationsFolder, log)
    const services = await openServices(config, log, { databaseUrl: place.url, closers })
    const { db, pool, clock, metrics, addresses, secrets, nano, base } = services
    await Promise.all([nano.embeddedLedger?.(), base?.embeddedChain?.()])
    await addresses.verify(db)
    await verifySecrets(db, secrets)
    const recovery = await recover(services, options)
    if (options.isDryRun) return recovery
    const worker = await startWorker({ jobs, services, pool, clock, log, metrics }, place.url)
    closers.add(() => worker.stop(closeMs))
    for (let last = -1; ; await new Promise((resolve) => setTimeout(resolve, checkMs))) {
      const left = await countUnfinishedSends(db)
      if (left === 0) return recovery
      if (left !== last) options.onProgress?.(`payments that wait to be sent: ${left}`)
      last = left
    }
  } finally {
    await closers.closeAll()
  }
}
