import { amountOf, formatAmount } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { isDeleted } from '../../accounts/close-account.ts'
import type { Tx } from '../../platform/database/database.ts'
import { changeSend, type SendRow } from '../../rails/nano/custody/block-store.ts'
import type { Authorized } from '../../rails/nano/custody/sign-next-block.ts'
import { findNanoAddress, type PayoutRow } from '../payouts/payout-store.ts'
import type { PaymentServices } from '../services.ts'
import { sentTo } from './sent-to.ts'
import { type CountedInMemory, count, reserve } from './signing-limits.ts'

// A send is signed only if it pays what is owed, to whom it is owed, and within the limits. The caller is not trusted.
// What the database says may have been written by an intruder. So commission goes to the house that this process knows, and
// the senders and amounts of refunds are looked up on the chain by a signer.

export interface SendRules extends Pick<PaymentServices, 'config' | 'clock'> {
  readonly house: string
  readonly own: CountedInMemory
  /** The arrivals that a refund may return, by hash, as the chain shows them. Undefined in a process that has read them there itself. */
  readonly shown?: ReadonlyMap<string, ShownArrival> | undefined
}

/** A confirmed payment to the address of the refund. */
export interface ShownArrival {
  readonly source: string
  readonly amount: bigint
}

const no = (reason: string): Authorized => ({ kind: 'refused', reason })

/** Decides about one send, with the hash of its block. The caller holds the lock on its address. */
export async function authorizeSend(rules: SendRules, tx: Tx, send: SendRow, hash: string): Promise<Authorized> {
  const payout = await tx.selectFrom('payouts').selectAll().where('id', '=', send.id).executeTakeFirst()
  if (!payout || payout.address_id !== send.address_id || payout.amount !== send.amount)
    return no('no payout matches this send')
  if (payout.state !== 'waiting') return no('it is not owed now')
  if (payout.role === 'house') return toHouse(rules, tx, payout, send)
  if (payout.destination !== send.destination) return no('it is owed to another address')
  const problem =
    payout.role === 'creator' ? await creatorProblem(rules, tx, payout) : await refundProblem(rules, tx, payout)
  if (problem) return problem
  const counting = { tx, own: rules.own, now: rules.clock.now() }
  const amount = amountOf('XNO', send.amount)
  const limit = { counted: 'XNO', most: rules.config.signer.perHour.XNO } as const
  if (!(await reserve(counting, limit, amount, hash))) {
    const reason = `SIGNER_XNO_PER_HOUR (${formatAmount('XNO', limit.most!)} XNO) is reached`
    return { kind: 'waits', reason }
  }
  return { kind: 'allowed', destination: send.destination, note: () => count(counting, limit, amount) }
}

/** Commission goes to the house, whatever address it was when the commission was owed. It counts in no limit. */
async function toHouse({ house }: SendRules, tx: Tx, payout: PayoutRow, send: SendRow): Promise<Authorized> {
  if (send.destination !== house || payout.destination !== house) {
    await tx.updateTable('payouts').set({ destination: house }).where('id', '=', payout.id).execute()
    await changeSend(tx, send.id, { destination: house })
  }
  return { kind: 'allowed', destination: house, note: async () => {} }
}

/** An author gets the net of the order, where the order promised it, or where the author had it bound since. */
async function creatorProblem(rules: SendRules, tx: Tx, payout: PayoutRow): Promise<Authorized | undefined> {
  const { destination, order_id, address_id, payee_id, amount, bound_revision } = payout
  const order = await tx
    .selectFrom('orders')
    .select(['address_id', 'payee_id', 'recipient', 'amount_raw', 'commission_raw'])
    .where('id', '=', order_id)
    .executeTakeFirst()
  if (!order || order.address_id !== address_id || order.payee_id !== payee_id) return no('no order paid for it')
  if (BigInt(order.amount_raw) - BigInt(order.commission_raw) !== BigInt(amount))
    return no('the order is of another amount')
  const saved = await findNanoAddress(tx, payee_id!)
  const isSaved = saved?.address === destination
  if (destination !== order.recipient && !(bound_revision !== null && isSaved))
    return no('the author is not paid at this address')
  const { destinations, addressDelayMs } = rules.config.signer
  if (destinations && !destinations.includes(destination))
    return { kind: 'waits', reason: `${destination} is not in SIGNER_DESTINATIONS` }
  if (addressDelayMs === 0 || (await isDeleted(tx, payee_id))) return undefined
  if (!isSaved) return no('the author has saved another address since')
  const dueAt = saved.updated_at.getTime() + addressDelayMs
  return rules.clock.now().getTime() < dueAt
    ? { kind: 'waits', reason: `${destination} was saved less than SIGNER_ADDRESS_DELAY ago` }
    : undefined
}

/** Money goes back to who sent it, or where an administrator decided. */
async function refundProblem({ config, shown }: SendRules, tx: Tx, payout: PayoutRow): Promise<Authorized | undefined> {
  const { id, destination, arrival_hash, address_id, amount } = payout
  const arrival = await tx
    .selectFrom('nano_arrivals')
    .select(['address_id', 'source', 'amount', 'hash'])
    .where('hash', '=', arrival_hash)
    .executeTakeFirst()
  if (!arrival || arrival.address_id !== address_id) return no('nothing arrived that it could return')
  if (BigInt(amount) > BigInt(arrival.amount)) return no('less arrived than it returns')
  if (shown) {
    const onChain = shown.get(arrival.hash)
    if (!onChain) return { kind: 'waits', reason: `no node shows who sent ${arrival.hash}` }
    if (onChain.source !== arrival.source) return no('the chain shows another sender')
    if (BigInt(amount) > onChain.amount) return no('the chain shows that less arrived')
  }
  if (destination !== arrival.source && !(await isDecided(tx, id, destination)))
    return no('it was sent by another address')
  const { destinations } = config.signer
  if (!destinations || destinations.includes(destination)) return undefined
  // The audit log is in the same database, so a decision found there does not go around the list.
  if (destination !== arrival.source) return { kind: 'waits', reason: `${destination} is not in SIGNER_DESTINATIONS` }
  const returned = (await sentTo(tx, address_id, destination)) + BigInt(amount)
  return shown && returned > sum([...shown.values()].filter(({ source }) => source === destination))
    ? no('it was returned already')
    : undefined
}

const sum = (arrivals: readonly ShownArrival[]): bigint => arrivals.reduce((all, { amount }) => all + amount, 0n)

/** Whether the audit log has an administrator's decision to send it there. */
async function isDecided(tx: Tx, payoutId: string, destination: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM audit_log WHERE act IN ('payout.settle', 'payout.retry') AND target_id = ${payoutId}
      AND details->>'destination' = ${destination} LIMIT 1`.execute(tx)
  return rows.length > 0
}
