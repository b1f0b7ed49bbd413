import type { Amount } from '@pennypost/contract/money'
import { receiverOf } from '@pennypost/nano/block'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/database.ts'
import type { RailServices } from '../../services.ts'
import type { Arrival } from '../../settlement.ts'
import { type AddressWatcher, createAddressWatcher } from '../node/address-watcher.ts'
import type { Receivable } from '../node/node-replies.ts'
import { createPreparer } from '../work/prepare-addresses.ts'
import { addressChannel, createAddressBook, findAddressByText } from './addresses.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_arrivals: ArrivalTable
  }
}

interface ArrivalTable {
  hash: string
  number: Generated<string>
  address_id: string
  amount: string
  source: string
  seen_at: Date
}

export type ArrivalRow = Selectable<ArrivalTable>

/**
 * Watches all our addresses for money, and prepares their first blocks. Several processes may do this together.
 * @param onPayment is called for each address with something receivable: see `WatcherParts`.
 */
export function watchForArrivals(
  services: RailServices,
  onPayment: (address: string, found: readonly Receivable[] | undefined) => Promise<boolean>,
): AddressWatcher {
  const { config, db, clock, log, nano, listener } = services
  const preparer = createPreparer(services)
  const watcher = createAddressWatcher({
    clock,
    log,
    client: nano.client,
    confirmations: nano.confirmations,
    book: createAddressBook(db, preparer.offer),
    watchDays: config.nano.watchDays,
    onPayment,
  })
  const stopListening = listener.on(addressChannel, (address) => {
    if (address === undefined) watcher.watchNewestAgain()
    else nano.confirmations.watch(address)
  })
  return {
    ...watcher,
    async stop() {
      stopListening()
      await watcher.stop()
      await preparer.stop()
    },
  }
}

/**
 * Lists what a node shows at an address and is not recorded yet. It is not verified: call `isConfirmed`. Without `found`
 * (after a websocket event) the node is asked. Returns undefined if the node shows nothing there.
 */
export async function listNewArrivals(
  { db, nano }: Pick<RailServices, 'db' | 'nano'>,
  address: string,
  found: readonly Receivable[] | undefined,
): Promise<Arrival[] | undefined> {
  const row = await findAddressByText(db, address)
  if (!row) return undefined
  const receivables = found ?? (await nano.client.receivable(address, BigInt(row.least_raw)))
  if (receivables.length === 0) return undefined
  const known = await listKnownArrivals(
    db,
    receivables.map(({ hash }) => hash),
  )
  return receivables
    .filter(({ hash }) => !known.has(hash))
    .map(({ hash, amount, source }) => ({ hash, amount, source, addressId: row.id, address: row.address }))
}

/** Looks up the block itself, because a list of receivables may be stale or contain unconfirmed blocks. */
export async function isConfirmed(
  { nano, log }: Pick<RailServices, 'nano' | 'log'>,
  { hash, amount, source, address }: Arrival,
): Promise<boolean> {
  const info = await nano.client.blockInfo(hash)
  const isTrue =
    info?.isConfirmed === true &&
    info.amount === amount &&
    info.account === source &&
    (info.contents === undefined || receiverOf(info.contents) === address)
  if (!isTrue)
    log.warn({ block: hash }, 'a node listed money that it does not report as confirmed; it is checked again later')
  return isTrue
}

/** Records a confirmed arrival. Returns false if it was recorded before. */
export async function noteArrival(tx: Tx, arrival: Arrival, now: Date): Promise<boolean> {
  const { hash, addressId, amount, source } = arrival
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('nano_arrivals')
    .values({ hash, address_id: addressId, amount: String(amount), source, seen_at: now })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export const listKnownArrivals = async (db: Db, hashes: readonly string[]): Promise<Set<string>> =>
  new Set(
    (await db.selectFrom('nano_arrivals').select('hash').where('hash', 'in', hashes).execute()).map(({ hash }) => hash),
  )

const maxReturns = 3

/**
 * Whether sending this arrival back would go in circles: we have sent the same amount there several times, and it came back
 * each time. The other side returns what it receives, just like us.
 */
export const goesInCircles = async (tx: Tx, arrivalHash: string, amount: Amount<'XNO'>): Promise<boolean> =>
  (await countReturns(tx, arrivalHash, amount)) >= maxReturns

/** How often an arrival's address has already sent the same amount to the arrival's sender. */
const countReturns = async (tx: Tx, arrivalHash: string, amount: bigint): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM nano_arrivals came JOIN nano_sends sent ON sent.address_id = came.address_id
      AND sent.destination = came.source AND sent.amount = ${String(amount)} AND sent.created_at <= came.seen_at
      AND sent.refused_at IS NULL
    WHERE came.hash = ${arrivalHash}`.execute(tx)
  return rows[0]!.count
}
