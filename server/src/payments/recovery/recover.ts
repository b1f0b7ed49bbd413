import { readJournals } from '../../platform/journal.ts'
import type { PaymentServices } from '../services.ts'
import { JournalRecord } from './journal-record.ts'
import { listLost, regain } from './regain.ts'
import { countRuns, listRuns, type Stray, scanRun, secondsBetween } from './scan-runs.ts'

export interface RecoverOptions {
  /** Only says what it would do. */
  readonly isDryRun?: boolean
  /** Tries the runs of every second since then: needed only if the journal is lost. */
  readonly since?: Date | undefined
  readonly onLine?: (line: string) => void
}

export interface Recovery {
  /** Orders and payments that were brought back. */
  readonly regained: number
  /** Addresses whose money goes back, because nobody knows what it was for. */
  readonly returning: number
  /** What a person has to look at. */
  readonly impossible: readonly string[]
}

const batchSize = 500
const newestRuns = 200
const gap = 1_000
// Numbers of a run that are tried before it is taken for one that never was.
const firstNumbers = 20
// Processes that started in the same second are tried until so many in a row were not there.
const slotsTried = 2

/**
 * Brings back what the world was given and the database has lost, after it was restored from a backup or a standby took
 * over: from the journal, and from the chain where the journal is lost too. Safe to repeat; it goes on where it stopped.
 */
export async function recover(services: PaymentServices, options: RecoverOptions = {}): Promise<Recovery> {
  const { onLine = () => {}, isDryRun } = options
  const count = { regained: 0, returning: 0 }
  const impossible: string[] = []
  const bring = async (record: JournalRecord, name: string) => {
    if (isDryRun) return onLine(`lost: ${name}`)
    const found = await regain(services, record)
    if (found.kind === 'impossible') impossible.push(found.reason)
    else if (found.kind !== 'known') count[found.kind] += 1
    onLine(`${found.kind}: ${name}${found.kind === 'impossible' ? `: ${found.reason}` : ''}`)
  }
  for await (const record of lostRecords(services)) await bring(record, nameOf(record))
  for await (const stray of strays(services, options.since)) {
    await bring(recordOf(services, stray), `${stray.raw} raw at ${stray.address}`)
  }
  return { ...count, impossible }
}

/** Everything that is in a journal of this DATA_DIR and not in the database. */
export async function* lostRecords({ config, db }: Pick<PaymentServices, 'config' | 'db'>, since?: Date) {
  let batch: JournalRecord[] = []
  for await (const line of readJournals(config.dataDir, since)) {
    const read = JournalRecord.safeParse(line)
    if (read.success) batch.push(read.data)
    if (batch.length < batchSize) continue
    yield* await listLost(db, batch)
    batch = []
  }
  yield* await listLost(db, batch)
}

/** Money at addresses of ours that neither the database nor a journal knows. */
async function* strays(services: PaymentServices, since: Date | undefined): AsyncGenerator<Stray> {
  const { db, clock } = services
  for (const start of await listRuns(db, newestRuns)) yield* scanRun(services, start, gap)
  if (!since) return
  for (const started of secondsBetween(since, clock.now())) {
    const known = await countRuns(db, started)
    for (let slot = known, unused = 0; unused < slotsTried; slot += 1) {
      unused += 1
      for await (const stray of scanRun(services, { run: { started, slot }, from: 0 }, firstNumbers)) {
        unused = 0
        yield stray
      }
    }
  }
}

const leastRaw = 10n ** 21n

function recordOf({ clock }: PaymentServices, { derivation, address }: Stray): JournalRecord {
  const now = clock.now()
  const least_raw = String(leastRaw)
  const record = { id: '0', derivation, address, purpose: 'recovered', least_raw, created_at: now, expires_at: now }
  return { address: record, order: null, payment: null, transaction: null }
}

export function nameOf({ address, order, payment, transaction }: JournalRecord): string {
  if (transaction) return `transaction ${transaction.hash}`
  if (order) return `${order.kind} ${order.id} at ${address!.address}`
  return payment ? `payment ${payment.id} by ${payment.payer}` : `address ${address!.address}`
}
