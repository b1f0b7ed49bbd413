import type { Amount } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import type { RailServices } from '../../services.ts'
import { nextLookAt } from '../node/address-watcher.ts'
import { addressChannel } from './address-book.ts'
import {
  type AddressRow,
  addAddress,
  addSend,
  countReturns,
  findAddressByText,
  nextAddressId,
  redirectSend,
} from './custody-store.ts'
import { moveAddress, moveKey } from './move-address.job.ts'

export interface AddressWish {
  /** What the address is given out for; kept for operators. */
  readonly purpose: 'order' | 'x402' | 'x402-stray' | 'transfer'
  /** Less than this is dust, which is ignored. */
  readonly leastRaw: Amount<'XNO'>
  /** It is looked at often until then, less and less often afterwards, and never dropped. */
  readonly expiresAt: Date
  /** The key is derived from this text, so that the address is known without a row. Left out: the next index. */
  readonly derivation?: string | null
}

/** Gives out a new address of ours, watched from the commit on. Needs no node. */
export async function allocateAddress(
  { clock, keyring }: Pick<RailServices, 'clock' | 'keyring'>,
  tx: Tx,
  { purpose, leastRaw, expiresAt, derivation = null }: AddressWish,
): Promise<AddressRow> {
  const now = clock.now()
  const id = await nextAddressId(tx)
  const address = keyring.addressOf({ id, derivation })
  const row = await addAddress(tx, {
    id,
    derivation,
    address,
    purpose,
    least_raw: String(leastRaw),
    created_at: now,
    expires_at: expiresAt,
    next_look_at: now,
  })
  await sql`SELECT pg_notify(${addressChannel}, ${address})`.execute(tx)
  return row
}

export interface SendOrder {
  /** Chosen by the caller: the same id is never sent twice. */
  readonly id: string
  readonly addressId: string
  readonly destination: string
  readonly amount: Amount<'XNO'>
}

type Parts = Pick<RailServices, 'clock'>

/** Promises a send from an address of ours. It happens exactly once, after the commit, in order for each address. */
export async function sendOnce(parts: Parts, tx: Tx, { id, addressId, destination, amount }: SendOrder): Promise<void> {
  const created_at = parts.clock.now()
  await addSend(tx, { id, address_id: addressId, destination, amount: String(amount), created_at })
  await enqueue(tx, parts.clock, moveAddress, { addressId }, { key: moveKey(addressId) })
}

/**
 * The same for a send that may have been promised before and refused: it gets another destination. Its new block
 * replaces the old one, so that the network confirms at most one of them.
 */
export async function resend(parts: Parts, tx: Tx, order: SendOrder): Promise<void> {
  if (!(await redirectSend(tx, order.id, order.destination))) return sendOnce(parts, tx, order)
  await enqueue(tx, parts.clock, moveAddress, { addressId: order.addressId }, { key: moveKey(order.addressId) })
}

/** Whether an address is ours: money sent there would come back to us, and be sent back, forever. */
export const isOurs = async (tx: Tx, address: string): Promise<boolean> =>
  (await findAddressByText(tx, address)) !== undefined

const mostReturns = 3

/**
 * Whether sending this arrival back would go in circles: the same amount was sent there several times before, and came
 * back each time. The other side returns what it gets, as we do.
 */
export const goesInCircles = async (tx: Tx, arrivalHash: string, amount: Amount<'XNO'>): Promise<boolean> =>
  (await countReturns(tx, arrivalHash, amount)) >= mostReturns

// Frequent requests have an address looked at no more often than this.
const leastPauseMs = 3_000

/** Has an address looked at next, because somebody waits for money there, unless that was done a moment ago. */
export async function lookSoon(
  { db, clock }: Pick<RailServices, 'db' | 'clock'>,
  address: Pick<AddressRow, 'id' | 'created_at' | 'expires_at' | 'next_look_at'>,
): Promise<void> {
  const now = clock.now()
  const untilNextMs = address.next_look_at.getTime() - now.getTime()
  const pauseMs =
    nextLookAt({ since: address.created_at, expiresAt: address.expires_at }, now).getTime() - now.getTime()
  if (untilNextMs <= 0 || pauseMs - untilNextMs < leastPauseMs) return
  await db
    .updateTable('nano_addresses')
    .set({ next_look_at: now })
    .where('id', '=', address.id)
    .where('next_look_at', '>', now)
    .execute()
}
