import { setTimeout as wait } from 'node:timers/promises'
import { readJournals } from '../../platform/journal.ts'
import type { PaymentServices } from '../services.ts'
import { JournalRecord } from './journal-record.ts'
import { recover } from './recover.ts'
import { listLost } from './recover-record.ts'

export interface LossWatcher {
  stop(): Promise<void>
}

const everyMs = 30_000
const newestRecords = 1_000

/**
 * Notices that the database has lost records: it was restored from a backup, or a standby took over that had not received
 * everything. Then it recovers them. Checks at the start and every half minute, because a standby can take over while
 * processes are running.
 */
export function watchForLoss(services: PaymentServices): LossWatcher {
  const { clock, config, db, journal, log, moneyCounters } = services
  const stopping = new AbortController()

  async function check(records: readonly unknown[]): Promise<void> {
    const known = records.flatMap((record) => {
      const read = JournalRecord.safeParse(JSON.parse(JSON.stringify(record)))
      return read.success ? [read.data] : []
    })
    if ((await listLost(db, known)).length === 0) return
    moneyCounters.lossAt.set(clock.now().getTime() / 1000)
    log.error({}, 'records are missing from the database: it was restored or failed over; recovering them')
    const { recovered, returning, unrecoverable } = await recover(services)
    log.error({ recovered, returning, unrecoverable }, 'recovered what was missing from the database')
  }

  async function run(): Promise<void> {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      try {
        await check(isFirst ? await readNewest(config.dataDir) : journal.latest())
      } catch (error) {
        log.warn({ cause: (error as Error).message }, 'the journal could not be compared with the database yet')
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

/** The last records of all journals: what a restored database lacks first. */
async function readNewest(dataDir: string): Promise<unknown[]> {
  let newest: unknown[] = []
  for await (const record of readJournals(dataDir)) {
    newest.push(record)
    if (newest.length >= 2 * newestRecords) newest = newest.slice(-newestRecords)
  }
  return newest
}
