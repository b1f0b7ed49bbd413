import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { type AddressRow, isOurs } from '../../rails/nano/custody/addresses.ts'
import type { Arrival } from '../../rails/settlement.ts'
import type { AccountServices } from '../services.ts'
import type { WalletPurpose } from './challenge-store.ts'
import { type TransferState, transferMoves } from './transfer-state.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wallet_transfers: TransferTable
  }
}

interface TransferTable {
  id: string
  request_hash: Buffer
  purpose: WalletPurpose
  account_id: string | null
  address_id: string
  amount_raw: string
  state: TransferState
  sender: string | null
  created_at: Date
  expires_at: Date
}

type TransferRow = Selectable<TransferTable>
/** A transfer login with the address to pay. */
export type Transfer = TransferRow & Pick<AddressRow, 'address' | 'next_check_at' | 'checked_at' | 'paid_at'>
export type NewTransfer = Omit<TransferRow, 'state' | 'sender'>

const transfers = (db: Db | Tx) =>
  db
    .selectFrom('wallet_transfers')
    .innerJoin('nano_addresses', 'nano_addresses.id', 'wallet_transfers.address_id')
    .selectAll('wallet_transfers')
    .select(['nano_addresses.address', 'nano_addresses.next_check_at'])
    .select(['nano_addresses.checked_at', 'nano_addresses.paid_at'])

export const findTransfer = (db: Db | Tx, id: string): Promise<Transfer | undefined> =>
  transfers(db).where('wallet_transfers.id', '=', id).executeTakeFirst()

/** Finds the transfer that a request created. The lock makes the second of two equal requests wait for the first. */
export async function lockTransferByRequest(tx: Tx, requestHash: Buffer): Promise<Transfer | undefined> {
  await sql`SELECT pg_advisory_xact_lock(${requestHash.readBigInt64BE().toString()}::bigint)`.execute(tx)
  return transfers(tx).where('request_hash', '=', requestHash).executeTakeFirst()
}

export async function addTransfer(tx: Tx, transfer: NewTransfer): Promise<Transfer> {
  await tx
    .insertInto('wallet_transfers')
    .values({ ...transfer, state: 'pending', sender: null })
    .execute()
  return (await findTransfer(tx, transfer.id))!
}

/** The first of these amounts that no pending transfer has. */
export async function findFreeAmount(tx: Tx, amounts: readonly bigint[], now: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ amount_raw: string }>`
    SELECT amount_raw FROM wallet_transfers
    WHERE amount_raw = ANY(${amounts.map(String)}::numeric[]) AND state = 'pending' AND expires_at > ${now}`.execute(tx)
  const taken = new Set(rows.map(({ amount_raw }) => BigInt(amount_raw)))
  return amounts.find((amount) => !taken.has(amount))
}

/** Changes the state. Returns undefined if the transfer has expired or another request was first. */
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
 * Handles a payment to the address of a transfer login. Every payment to it is sent back, which happens elsewhere. The
 * first one that has the exact amount and arrives in time identifies the sender.
 */
export async function receiveTransfer({ clock }: AccountServices, tx: Tx, arrival: Arrival): Promise<void> {
  const awaited = await tx
    .selectFrom('wallet_transfers')
    .select('id')
    .where('address_id', '=', arrival.addressId)
    .where('amount_raw', '=', String(arrival.amount))
    .executeTakeFirst()
  // A payment from one of our own addresses does not identify anyone.
  if (!awaited || (await isOurs(tx, arrival.source))) return
  await moveTransfer(tx, awaited.id, 'receive', { now: clock.now(), sender: arrival.source })
}
