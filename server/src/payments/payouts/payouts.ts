import { randomUUID } from 'node:crypto'
import { type Amount, amountOf, type Commission, type Net } from '@pennypost/contract/money'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { moves } from '../../platform/state-machine.ts'
import { goesInCircles, isOurs, sendOnce } from '../../rails/nano/custody/custody.ts'
import type { Send } from '../../rails/nano/custody/custody-events.ts'
import { book, negative, recordMoney } from '../ledger/ledger.ts'
import { moveOrder } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'

interface Owed {
  readonly orderId: string | null
  readonly arrivalHash: string | null
  readonly payeeId: string | null
  readonly addressId: string
  readonly destination: string
}

/** A creator is owed the net of a sale, the house its commission, and a payer what goes back. */
type Debt = Owed &
  (
    | { readonly role: 'creator'; readonly amount: Net<'XNO'> }
    | { readonly role: 'house'; readonly amount: Commission<'XNO'> }
    | { readonly role: 'refund'; readonly amount: Amount<'XNO'> }
  )

/** Writes down what is owed and has it sent. Where nobody knows where to send it, it stays an obligation. */
export async function owe(services: PaymentServices, tx: Tx, debt: Debt): Promise<PayoutRow> {
  const { role, orderId, arrivalHash, payeeId, addressId, destination, amount } = debt
  const payout = await addPayout(tx, {
    id: randomUUID(),
    role,
    order_id: orderId,
    arrival_hash: arrivalHash,
    payee_id: payeeId,
    address_id: addressId,
    destination,
    amount: String(amount),
    created_at: services.clock.now(),
    blocked_reason: await whyBlocked(tx, debt),
  })
  if (payout.state === 'blocked') await recordMoney(services, tx, { kind: 'payout-blocked', payout })
  else await sendOnce(services, tx, { id: payout.id, addressId, destination, amount })
  return payout
}

async function whyBlocked(tx: Tx, { role, payeeId, arrivalHash, destination, amount }: Debt): Promise<string | null> {
  if (role === 'creator' && !(await findNanoAddress(tx, payeeId!))) return 'no address is saved'
  // Money that we send to ourselves would be sent back to ourselves.
  if (await isOurs(tx, destination)) return 'the address is one of this service'
  if (arrivalHash !== null && (await goesInCircles(tx, arrivalHash, amount))) return 'it was sent back, and came again'
  return null
}

/** The send is confirmed: the payout is no longer owed, and with the creator's the order is paid. */
export async function confirmPayout(services: PaymentServices, tx: Tx, send: Send): Promise<void> {
  const now = services.clock.now()
  const payout = await movePayout(tx, send.id, 'confirm', { confirmed_at: now, block_hash: send.blockHash })
  if (!payout) throw new Error(`payout ${send.id} was sent, but nothing was owed`)
  const { role, payee_id, order_id } = payout
  const ref = role === 'creator' ? payee_id! : role === 'house' ? 'house' : payout.id
  await book(tx, {
    asset: 'XNO',
    kind: 'payout',
    cause: `payout:${payout.id}`,
    orderId: order_id,
    at: now,
    entries: [
      { account: role, ref, amount: send.amount },
      { account: 'chain', ref: send.address, amount: negative(send.amount) },
    ],
  })
  if (role === 'creator') await moveOrder(tx, order_id!, 'pay', now)
  await recordMoney(services, tx, { kind: 'payout-confirmed', payout })
}

/** The network will never take the send: the payout waits for another address. */
export async function blockPayout(services: PaymentServices, tx: Tx, send: Send, reason: string): Promise<void> {
  const payout = await movePayout(tx, send.id, 'block', { blocked_reason: reason })
  if (payout) await recordMoney(services, tx, { kind: 'payout-blocked', payout })
}

/** What of a payout its next send needs. */
export const sendOf = ({ id, address_id, amount }: PayoutRow, destination: string) => ({
  id,
  addressId: address_id,
  destination,
  amount: amountOf('XNO', amount),
})

declare module '../../platform/database/tables.ts' {
  interface Tables {
    payouts: PayoutTable
  }
}

export type PayoutState = 'waiting' | 'blocked' | 'confirmed'

/** A payout is owed until its money is confirmed. A blocked one waits for somebody to say where it may go. */
export const payoutMoves = moves<PayoutState>()({
  block: { from: ['waiting'], to: 'blocked' },
  bind: { from: ['blocked'], to: 'waiting' },
  confirm: { from: ['waiting'], to: 'confirmed' },
})

type PayoutRole = 'creator' | 'house' | 'refund'

interface PayoutTable {
  id: string
  role: PayoutRole
  state: PayoutState
  order_id: string | null
  arrival_hash: string | null
  payee_id: string | null
  address_id: string
  destination: string
  amount: string
  blocked_reason: string | null
  bound_revision: Date | null
  block_hash: string | null
  created_at: Date
  confirmed_at: Date | null
}

export type PayoutRow = Selectable<PayoutTable>

type NewPayout = Omit<PayoutRow, 'state' | 'bound_revision' | 'block_hash' | 'confirmed_at'>

export const addPayout = (tx: Tx, payout: NewPayout): Promise<PayoutRow> =>
  tx
    .insertInto('payouts')
    .values({
      ...payout,
      state: payout.blocked_reason === null ? 'waiting' : 'blocked',
      bound_revision: null,
      block_hash: null,
      confirmed_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findPayout = (db: Db | Tx, id: string): Promise<PayoutRow | undefined> =>
  db.selectFrom('payouts').selectAll().where('id', '=', id).executeTakeFirst()

/** The creator's payout for a purchase or a tip, locked. */
export const lockCreatorPayout = (
  tx: Tx,
  { payeeId, kind, orderId }: { payeeId: string; kind: string; orderId: string },
): Promise<PayoutRow | undefined> =>
  tx
    .selectFrom('payouts')
    .selectAll('payouts')
    .innerJoin('orders', 'orders.id', 'payouts.order_id')
    .where('payouts.order_id', '=', orderId)
    .where('payouts.role', '=', 'creator')
    .where('payouts.payee_id', '=', payeeId)
    .where('orders.kind', '=', kind as 'purchase' | 'tip')
    .forUpdate('payouts')
    .executeTakeFirst()

type Change = Partial<
  Pick<PayoutRow, 'destination' | 'blocked_reason' | 'bound_revision' | 'block_hash' | 'confirmed_at'>
>

/** No row back means that the payout is not in a state that allows the move. */
export function movePayout(
  tx: Tx,
  id: string,
  move: keyof typeof payoutMoves,
  change: Change,
): Promise<PayoutRow | undefined> {
  const { from, to } = payoutMoves[move]
  return tx
    .updateTable('payouts')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

/** Where an account is paid in Nano now. */
export const findNanoAddress = (
  tx: Tx,
  accountId: string,
): Promise<{ address: string; updated_at: Date } | undefined> =>
  tx
    .selectFrom('receiving_addresses')
    .select(['address', 'updated_at'])
    .where('account_id', '=', accountId)
    .where('rail', '=', 'nano')
    .executeTakeFirst()
