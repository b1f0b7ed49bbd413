import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { isOurs } from '../../rails/nano/custody/custody.ts'
import type { Arrival } from '../../rails/nano/custody/custody-events.ts'
import type { AccountServices } from '../services.ts'
import { type TransferState, transferMoves } from './transfer-state.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wallet_transfers: TransferTable
  }
}

interface TransferTable {
  id: string
  request_hash: Buffer
  purpose: 'sign_in' | 'link'
  account_id: string | null
  address_id: string
  amount_raw: string
  state: TransferState
  sender: string | null
  created_at: Date
  expires_at: Date
}

type TransferRow = Selectable<TransferTable>
/** With the address that is to be paid. */
export type Transfer = TransferRow & { readonly address: string; readonly next_look_at: Date }
export type NewTransfer = Omit<TransferRow, 'state' | 'sender'>

const transfers = (db: Db | Tx) =>
  db
    .selectFrom('wallet_transfers')
    .innerJoin('nano_addresses', 'nano_addresses.id', 'wallet_transfers.address_id')
    .selectAll('wallet_transfers')
    .select(['nano_addresses.address', 'nano_addresses.next_look_at'])

export const findTransfer = (db: Db | Tx, id: string): Promise<Transfer | undefined> =>
  transfers(db).where('wallet_transfers.id', '=', id).executeTakeFirst()

/** Finds what was made for a secret, under a lock of it: of two equal requests the second finds what the first made. */
export async function lockTransferByRequest(tx: Tx, requestHash: Buffer): Promise<Transfer | undefined> {
  await sql`SELECT pg_advisory_xact_lock(${requestHash.readBigInt64BE().toString()}::bigint)`.execute(tx)
  return transfers(tx).where('request_hash', '=', requestHash).executeTakeFirst()
}

/** False: another one waits for this very amount. */
export async function addTransfer(tx: Tx, transfer: NewTransfer): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('wallet_transfers')
    .values({ ...transfer, state: 'pending', sender: null })
    .onConflict((conflict) => conflict.column('amount_raw').where('state', '=', 'pending').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** No row back means that it is over, or that somebody else was first. */
export function moveTransfer(
  tx: Tx,
  id: string,
  move: keyof typeof transferMoves,
  { now, ...change }: { readonly now: Date; readonly sender?: string },
): Promise<TransferRow | undefined> {
  const { from, to } = transferMoves[move]
  return tx
    .updateTable('wallet_transfers')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Money came to an address that was given out for a transfer login. It is on its way back already, whatever it is; the
 * first that is exactly what was asked for, in time, says who its sender is.
 */
export async function receiveTransfer({ clock }: AccountServices, tx: Tx, arrival: Arrival): Promise<void> {
  const awaited = await tx
    .selectFrom('wallet_transfers')
    .select('id')
    .where('address_id', '=', arrival.addressId)
    .where('amount_raw', '=', String(arrival.amount))
    .executeTakeFirst()
  // What this service pays somebody at that address proves nobody.
  if (!awaited || (await isOurs(tx, arrival.source))) return
  await moveTransfer(tx, awaited.id, 'receive', { now: clock.now(), sender: arrival.source })
}
