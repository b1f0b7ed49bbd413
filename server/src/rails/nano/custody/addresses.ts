import type { Amount } from '@pennypost/contract/money'
import { type Selectable, sql } from 'kysely'
import type { Clock } from '../../../platform/clock.ts'
import type { Db, Tx } from '../../../platform/database/database.ts'
import { ServiceUnavailable } from '../../../platform/http/service-unavailable.ts'
import type { Journal } from '../../../platform/journal.ts'
import type { AddressBook, WatchedAddress } from '../node/address-watcher.ts'
import { refuseNano } from '../require-nano.ts'
import { addressOf, type OwnAddresses } from './keyring.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_addresses: AddressTable
  }
}

interface AddressTable {
  id: string
  derivation: string | null
  address: string
  purpose: string
  least_raw: string
  created_at: Date
  expires_at: Date
  open_work: string | null
  /** Null: the address is checked only on request. */
  next_check_at: Date | null
  checked_at: Date | null
  paid_at: Date | null
}

export type AddressRow = Selectable<AddressTable>

interface AddressRequest {
  /** What the address is given out for; kept for operators. */
  readonly purpose: 'order' | 'x402' | 'x402-stray' | 'transfer'
  /** Less than this is dust, which is ignored. */
  readonly leastRaw: Amount<'XNO'>
  /** The address is checked often until then, and less and less often afterwards. */
  readonly expiresAt: Date
  /** The key is derived from this text, so that the address is known without a row. By default the next of this process is used. */
  readonly derivation?: string
}

interface AllocationParts {
  readonly clock: Clock
  readonly addresses: OwnAddresses
  readonly addressRun: AddressRun
}

/** Gives out a new address, which is watched from the commit on. Needs no node. */
export async function allocateAddress(
  { clock, addresses, addressRun }: AllocationParts,
  tx: Tx,
  { purpose, leastRaw, expiresAt, derivation: given }: AddressRequest,
): Promise<AddressRow> {
  const now = clock.now()
  const derivation = given ?? (await nextDerivation(addresses, addressRun))
  const id = await nextAddressId(tx)
  const address = await addressOf(addresses, { id, derivation })
  const row = await addAddress(tx, {
    id,
    derivation,
    address,
    purpose,
    least_raw: String(leastRaw),
    created_at: now,
    expires_at: expiresAt,
    next_check_at: now,
  })
  await sql`SELECT pg_notify(${addressChannel}, ${address})`.execute(tx)
  return row
}

/**
 * The run of this process, from which the keys of its addresses are derived. A run is named by the second it began in, and
 * by a slot where several began: after everything but the seed is lost, the runs of a period can be tried one by one.
 */
export interface AddressRun extends RunName {
  /** Resolves in the second that the run is named by. */
  readonly begun: Promise<unknown>
  /** How many addresses it has given out. In memory, so that no database, whatever it lost, makes us reuse an address. */
  addresses: number
}

export interface RunName {
  readonly started: number
  readonly slot: number
}

async function nextDerivation(addresses: OwnAddresses, run: AddressRun): Promise<string> {
  await run.begun
  const derivation = derivationOf(run, run.addresses)
  if (!addresses.knows({ id: '0', derivation })) throw new AddressNotFetched(derivation)
  run.addresses += 1
  return derivation
}

/** The next address has to be fetched from the signer first. Nothing was given out. */
class AddressNotFetched extends ServiceUnavailable {
  override name = 'AddressNotFetched'
  readonly derivation: string

  constructor(derivation: string) {
    super('the address was not fetched ahead')
    this.derivation = derivation
  }
}

/** Only with very many orders at a time is a batch of addresses used up before the transaction begins again. */
const maxTries = 5

/**
 * Runs `act`, whose transaction gives out an address. An address that has to be fetched from the signer is fetched between
 * two tries: a transaction that waits for the signer would hold a connection to the database, and a silent signer would use
 * up all of them.
 */
export async function withNextAddress<Result>(
  { addresses }: Pick<AllocationParts, 'addresses'>,
  act: () => Promise<Result>,
): Promise<Result> {
  for (let time = 1; ; time += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof AddressNotFetched) || time === maxTries) throw error
      // While the signer is away, offers of x402 may have addresses left when orders have none.
      await addressOf(addresses, { id: '0', derivation: error.derivation }).catch((cause: unknown) => {
        if (cause instanceof ServiceUnavailable) refuseNano()
        throw cause
      })
    }
  }
}

export const derivationOf = ({ started, slot }: RunName, number: number): string => `run:${started}.${slot}:${number}`

/** Undefined if a derivation is not of a run. */
export function parseRunDerivation(derivation: string): { readonly run: RunName; readonly number: number } | undefined {
  const [, started, slot, number] = /^run:(\d+)\.(\d+):(\d+)$/.exec(derivation) ?? []
  if (number === undefined) return undefined
  return { run: { started: Number(started), slot: Number(slot) }, number: Number(number) }
}

export const readNumber = (derivation: string): number => Number(derivation.slice(derivation.lastIndexOf(':') + 1))

/** Records an address in the journal. Call it before anyone sees the address. */
export async function journalAddress(
  { db, journal }: { readonly db: Db; readonly journal: Journal },
  text: string,
): Promise<void> {
  const { id, derivation, address, purpose, least_raw, created_at, expires_at } = (await findAddressByText(db, text))!
  const record = { id, derivation, address, purpose, least_raw, created_at, expires_at }
  await journal.append({ address: record, order: null, payment: null })
}

export async function nextAddressId(tx: Tx): Promise<string> {
  const { rows } = await sql<{
    id: string
  }>`SELECT nextval(pg_get_serial_sequence('nano_addresses', 'id')) AS id`.execute(tx)
  return rows[0]!.id
}

export const addAddress = (
  tx: Tx,
  row: Omit<AddressRow, 'open_work' | 'checked_at' | 'paid_at'>,
): Promise<AddressRow> =>
  tx
    .insertInto('nano_addresses')
    .values({ ...row, open_work: null, checked_at: null, paid_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findAddress = (db: Db | Tx, id: string): Promise<AddressRow | undefined> =>
  db.selectFrom('nano_addresses').selectAll().where('id', '=', id).executeTakeFirst()

export const findAddressByText = (db: Db | Tx, address: string): Promise<AddressRow | undefined> =>
  db.selectFrom('nano_addresses').selectAll().where('address', '=', address).executeTakeFirst()

/** Writing a block on an address holds this lock from reading its last block to storing the next. */
export const lockAddress = (tx: Tx, id: string): Promise<AddressRow> =>
  tx.selectFrom('nano_addresses').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()

/** Whether an address is ours: money sent there would come back to us, and be sent back, forever. */
export const isOurs = async (tx: Tx, address: string): Promise<boolean> =>
  (await findAddressByText(tx, address)) !== undefined

/** Records that the money arrived that an address was given out for. From then on it is checked rarely. */
export const markAddressPaid = (tx: Tx, id: string, now: Date): Promise<unknown> =>
  tx.updateTable('nano_addresses').set({ paid_at: now }).where('id', '=', id).where('paid_at', 'is', null).execute()

// Frequent requests do not make an address be checked more often than this.
const minPauseMs = 3_000
const minPauseOfPaidMs = 600_000

/** Schedules a check of an address now, on request, unless it was checked just before. */
export async function checkSoon(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { id, next_check_at, checked_at, paid_at }: Pick<AddressRow, 'id' | 'next_check_at' | 'checked_at' | 'paid_at'>,
): Promise<void> {
  const now = clock.now()
  const pauseMs = paid_at === null ? minPauseMs : minPauseOfPaidMs
  const wasJustChecked = checked_at !== null && checked_at.getTime() + pauseMs > now.getTime()
  if (wasJustChecked || (next_check_at !== null && next_check_at <= now)) return
  await sql`UPDATE nano_addresses SET next_check_at = ${now}
    WHERE id = ${id} AND coalesce(next_check_at, 'infinity') > ${now}`.execute(db)
}

/** New addresses are announced on this channel, so that every watcher's websocket subscribes to them immediately. */
export const addressChannel = 'nano_addresses'

// How long a process holds an address that it is checking. If it crashes, the address is due again after this.
const leaseSeconds = 15

interface DueAddress {
  readonly id: string
  readonly address: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly paid_at: Date | null
  readonly least_raw: string
  readonly is_unprepared: boolean
}

/**
 * All our addresses, shared by every process that watches: only one process checks an address at a time. The lock is the
 * weaker one, so that an address whose arrival is being recorded is not skipped. Addresses that have neither a first
 * block nor work for it are passed to `prepare`.
 */
export const createAddressBook = (db: Db, prepare: (addresses: readonly UnpreparedAddress[]) => void): AddressBook => ({
  async listDue(now, most) {
    const { rows } = await sql<DueAddress>`
      WITH due AS MATERIALIZED (
        SELECT id FROM nano_addresses WHERE next_check_at <= ${now}
        ORDER BY next_check_at LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE nano_addresses SET next_check_at = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
      WHERE id IN (SELECT id FROM due)
      RETURNING id, address, created_at, expires_at, paid_at, least_raw,
        open_work IS NULL AND NOT EXISTS (
          SELECT FROM nano_blocks WHERE address_id = nano_addresses.id AND refused_at IS NULL) AS is_unprepared
      `.execute(db)
    prepare(
      rows
        .filter((row) => row.is_unprepared && row.expires_at > now)
        .map(({ id, address, expires_at: expiresAt }) => ({ id, address, expiresAt })),
    )
    return rows.map(
      (row): WatchedAddress => ({
        address: row.address,
        since: row.created_at,
        expiresAt: row.expires_at,
        paidAt: row.paid_at,
        leastRaw: BigInt(row.least_raw),
      }),
    )
  },
  async listNewest(most) {
    const newest = await db.selectFrom('nano_addresses').select('address').orderBy('id', 'desc').limit(most).execute()
    return newest.map(({ address }) => address)
  },
  async bringForward(now, withinMs) {
    await sql`
      UPDATE nano_addresses SET next_check_at = ${now} WHERE id IN (
        SELECT id FROM nano_addresses
        WHERE next_check_at > ${now} AND next_check_at <= ${new Date(now.getTime() + withinMs)}
        ORDER BY id FOR NO KEY UPDATE)`.execute(db)
  },
  /** Updates in order of id, so that two processes that update the same rows cannot deadlock. */
  async scheduleChecks(checks, now) {
    const addresses = checks.map(({ address }) => address)
    const times = checks.map(({ at }) => at?.toISOString() ?? null)
    await sql`
      UPDATE nano_addresses SET next_check_at = scheduled.at, checked_at = ${now} FROM (
        SELECT id, next.at FROM nano_addresses
        JOIN unnest(${addresses}::text[], ${times}::timestamptz[]) AS next(address, at) USING (address)
        ORDER BY id FOR NO KEY UPDATE OF nano_addresses) scheduled
      WHERE nano_addresses.id = scheduled.id`.execute(db)
  },
})

/** An address without work for its first block. */
export interface UnpreparedAddress {
  readonly id: string
  readonly address: string
  readonly expiresAt: Date
}

/** Saves work for the first blocks of these addresses. Sorted by id, as in the book, against deadlocks. */
export async function saveOpenWork(db: Db, found: ReadonlyMap<string, string>): Promise<void> {
  if (found.size === 0) return
  await sql`
    UPDATE nano_addresses SET open_work = prepared.work FROM (
      SELECT id, found.work FROM nano_addresses
      JOIN unnest(${[...found.keys()]}::bigint[], ${[...found.values()]}::text[]) AS found(id, work) USING (id)
      ORDER BY id FOR NO KEY UPDATE OF nano_addresses) prepared
    WHERE nano_addresses.id = prepared.id`.execute(db)
}
