import { setTimeout as wait } from 'node:timers/promises'
import { readJournals } from '../../platform/journal.ts'
import type { PaymentServices } from '../services.ts'
import { JournalRecord } from './journal-record.ts'
import { recover } from './recover.ts'
import { listLost } from './regain.ts'

export interface LossWatcher {
  stop(): Promise<void>
}

const everyMs = 30_000
const newestRecords = 1_000

/**
 * Notices that the database is another one than before: it lacks what this machine gave out last, because it was restored
 * from a backup, or a standby took over that had not received everything. Then what was lost is brought back. Looks at the
 * start and every half minute: a standby takes over while processes run.
 */
export function watchForLoss(services: PaymentServices): LossWatcher {
  const { config, db, journal, log } = services
  const stopping = new AbortController()

  async function look(records: readonly unknown[]): Promise<void> {
    const known = records.flatMap((record) => {
      const read = JournalRecord.safeParse(JSON.parse(JSON.stringify(record)))
      return read.success ? [read.data] : []
    })
    if ((await listLost(db, known)).length === 0) return
    log.error({}, 'the database lacks orders that were given out: it was restored or failed over; bringing them back')
    const { regained, returning, impossible } = await recover(services)
    log.error({ regained, returning, impossible }, 'brought back what the database had lost')
  }

  async function run(): Promise<void> {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      try {
        await look(isFirst ? await readNewest(config.dataDir) : journal.latest())
      } catch (error) {
        log.warn({ cause: (error as Error).message }, 'cannot compare the journal with the database yet')
      }
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** The last records of all journals. A database that was set back lacks the newest ones first. */
async function readNewest(dataDir: string): Promise<unknown[]> {
  let newest: unknown[] = []
  for await (const record of readJournals(dataDir)) {
    newest.push(record)
    if (newest.length >= 2 * newestRecords) newest = newest.slice(-newestRecords)
  }
  return newest
}
