import { readJournals } from '../../platform/journal.ts'
import { findAddressByText } from '../../rails/nano/custody/addresses.ts'
import { sweepAll } from '../payouts/sweep-commission.job.ts'
import type { PaymentServices } from '../services.ts'
import { JournalRecord } from './journal-record.ts'
import { listLost, recoverRecord } from './recover-record.ts'
import { countRuns, listRuns, type Stray, scanRun, secondsBetween } from './scan-runs.ts'
import { readSetAsides, setAside } from './set-aside.ts'

export interface RecoverOptions {
  /** Reports what is lost and changes nothing. */
  readonly isDryRun?: boolean
  /** Tries every address that may have been given out since then. Needed only if the journal is lost. */
  readonly since?: Date | undefined
  /** A person knows what cannot be recovered: alerts and audits no longer report it. */
  readonly isAcknowledging?: boolean | undefined
  /** Called for each record. */
  readonly onLine?: (line: string) => void
  /** Called with what is being done, because it can take minutes. */
  readonly onProgress?: (line: string) => void
  /** Called with each record of a journal that waits for a person. */
  readonly onWaiting?: (name: string, record: JournalRecord) => void
}

export interface Recovery {
  /** How many orders and payments were recovered. */
  readonly recovered: number
  /** How many addresses have their money sent back, because it is unknown what it was for. */
  readonly returning: number
  /** One reason for each record that a person has to look at. */
  readonly unrecoverable: readonly string[]
  /** How many unrecoverable records a person has acknowledged. */
  readonly acknowledged: number
}

const batchSize = 500
const newestRuns = 200
const progressMs = 10_000
const gap = 1_000
// If none of the first numbers of a run was used, the run never existed.
const firstNumbers = 20
// Several processes may have started in the same second. We stop after this many slots in a row without a run.
const slotsTried = 2

/**
 * Recovers what was given out but is missing from the database, after a restore from a backup or a failover: from the
 * journal, or from the chain if the journal is lost too. Safe to repeat: it continues where it stopped.
 */
export async function recover(services: PaymentServices, options: RecoverOptions = {}): Promise<Recovery> {
  const { onLine = () => {}, onProgress = () => {}, onWaiting = () => {}, isDryRun, isAcknowledging } = options
  const count = { recovered: 0, returning: 0, acknowledged: 0 }
  const unrecoverable: string[] = []
  const setAsides = await readSetAsides(services)
  const givenUp = new Set<string>()
  // The journal says what money at these addresses was for, so it is not sent back as if nobody knew. They are still missing from
  // the database, and the chain shows their money once more.
  const addressesGivenUp = new Map<string, 'waits' | 'acknowledged'>()
  const giveUp = async (name: string, reason: string, record?: JournalRecord) => {
    // Journals that were copied may have it twice.
    if (givenUp.has(name)) return
    givenUp.add(name)
    const before = setAsides.get(name)?.state
    const state = isAcknowledging || before === 'acknowledged' ? 'acknowledged' : 'waits'
    if (state !== before) await setAside(services, { setAside: name, state, reason })
    if (record?.address) addressesGivenUp.set(record.address.address, state)
    if (record && state === 'waits') onWaiting(name, record)
    if (state === 'acknowledged') count.acknowledged += 1
    else unrecoverable.push(reason)
    onLine(`${state === 'acknowledged' ? state : 'unrecoverable'}: ${name}: ${reason}`)
  }
  const recoverOne = async (record: JournalRecord, name: string) => {
    if (isDryRun) return onLine(`lost: ${name}`)
    const outcome = await recoverRecord(services, record)
    if (outcome.kind === 'unrecoverable') return giveUp(name, outcome.reason, record)
    // Something else took its place, such as a later payment with the same nonce.
    if ((await listLost(services.db, [record])).length > 0)
      return giveUp(name, `the database has something else in the place of ${name}`, record)
    if (outcome.kind !== 'known') count[outcome.kind] += 1
    onLine(`${outcome.kind}: ${name}`)
  }
  if (!isDryRun) {
    // The loss may have been after a sweep. Its blocks are then signed again, the same ones, before money that comes late is
    // sent back with another block in their place.
    onProgress('sending the commission that waits')
    await sweepAll(services)
  }
  onProgress('reading the journal')
  const transactions: JournalRecord[] = []
  for await (const record of lostRecords(services)) {
    if (isDryRun && record.address) addressesGivenUp.set(record.address.address, 'waits')
    // Another process may have noted its payment, in a journal that is read later.
    if (record.transaction) transactions.push(record)
    else await recoverOne(record, nameOf(record))
  }
  for (const record of originalsFirst(transactions)) await recoverOne(record, nameOf(record))
  const found = new Set<string>()
  for await (const stray of strays(services, options.since, onProgress)) {
    found.add(stray.address)
    const name = nameOfStray(stray)
    const state = addressesGivenUp.get(stray.address)
    // A record that waits is known to belong there. If it was acknowledged, its money has to be acknowledged, too.
    if (state === 'acknowledged') await giveUp(name, `it came to the address of a record that cannot be recovered`)
    else if (!state) await recoverOne(recordOf(services, stray), name)
  }
  for (const { setAside: name, state, reason } of isDryRun ? [] : setAsides.values()) {
    if (state === 'over' || givenUp.has(name)) continue
    const address = addressOfStray(name)
    // Without `since`, we may not have looked there.
    const isOver = !address || found.has(address) || (await findAddressByText(services.db, address)) !== undefined
    if (isOver) await setAside(services, { setAside: name, state: 'over', reason })
    else if (isAcknowledging && state === 'waits') await giveUp(name, reason)
  }
  return { ...count, unrecoverable }
}

/** The records in the journals of this DATA_DIR that are missing from the database. */
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

/** Sorts transactions so that each comes before the one that replaces it. */
function originalsFirst(records: readonly JournalRecord[]): JournalRecord[] {
  const left = new Map(records.map((record) => [record.transaction!.hash, record]))
  const sorted: JournalRecord[] = []
  const add = (hash: string) => {
    const record = left.get(hash)
    if (!record || !left.delete(hash)) return
    if (record.transaction!.replaces) add(record.transaction!.replaces)
    sorted.push(record)
  }
  for (const { transaction } of records) add(transaction!.hash)
  return sorted
}

/** Finds money at our own addresses that neither the database nor a journal knows. */
async function* strays(
  services: PaymentServices,
  since: Date | undefined,
  onProgress: (line: string) => void,
): AsyncGenerator<Stray> {
  const { db, clock } = services
  const starts = await listRuns(db, newestRuns)
  onProgress(`looking on the chain for money at addresses of the last starts of the service: ${starts.length}`)
  for (const start of starts) yield* scanRun(services, start, gap)
  if (!since) return
  let sayAt = 0
  for (const started of secondsBetween(since, clock.now())) {
    if (performance.now() >= sayAt) {
      onProgress(`trying addresses of a start at ${new Date(started * 1_000).toISOString()}`)
      sayAt = performance.now() + progressMs
    }
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

export const nameOfStray = ({ raw, address }: Stray): string => `${raw} raw at ${address}`
const addressOfStray = (name: string): string | undefined => / raw at (\S+)$/.exec(name)?.[1]

const leastRaw = 10n ** 21n

function recordOf({ clock }: PaymentServices, { derivation, address }: Stray): JournalRecord {
  const now = clock.now()
  const least_raw = String(leastRaw)
  const record = { id: '0', derivation, address, purpose: 'recovered', least_raw, created_at: now, expires_at: now }
  return { address: record, order: null, payment: null, transaction: null }
}

export function nameOf({ address, order, payment, transaction }: JournalRecord): string {
  if (transaction) return `transaction ${transaction.hash}`
  // Several payments can be for one order.
  if (order) return `${order.kind} ${order.id} at ${address!.address}${payment ? `, payment ${payment.id}` : ''}`
  return payment ? `payment ${payment.id} by ${payment.payer}` : `address ${address!.address}`
}
