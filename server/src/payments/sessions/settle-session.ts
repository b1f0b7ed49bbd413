import type { Tx } from '../../platform/database/database.ts'
import type { Services } from '../../services.ts'
import { onMoney } from '../events.ts'
import { book } from '../ledger/ledger.ts'
import { owe } from '../payouts/owe.ts'
import { decide } from './session-rules.ts'
import {
  grantPost,
  listUnspentArrivals,
  moveSession,
  type SessionRow,
  settleArrivals,
  type UnspentArrival,
} from './session-store.ts'

/**
 * Does with a session's unspent money what the rules say: waits, buys, or gives it back. The session is locked. Answers
 * whether money waits for more.
 */
export async function settleSession(services: Services, tx: Tx, session: SessionRow): Promise<boolean> {
  const now = services.clock.now()
  const arrivals = await listUnspentArrivals(tx, session.id)
  const unspent = arrivals.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const decision = decide(session, unspent, now)
  if (unspent === 0n || decision === 'wait') return unspent > 0n
  await settleArrivals(tx, session.id, now)
  const isSold = decision === 'buy' && (session.kind === 'tip' || (await grantPost(tx, session, now)))
  if (!isSold) {
    // The Post was bought through another session: nobody needs this quote any more.
    if (decision === 'buy') await moveSession(tx, session.id, 'cancel', now)
    await giveBack(services, tx, session, arrivals, unspent)
    return false
  }
  const sold = (await moveSession(tx, session.id, 'receive', now))!
  const amount = BigInt(session.amount_raw)
  const commission = BigInt(session.commission_raw)
  const net = amount - commission
  const isSale = session.kind === 'purchase'
  await book(tx, {
    asset: 'XNO',
    kind: isSale ? 'sale' : 'tip',
    cause: `${isSale ? 'sale' : 'tip'}:${session.id}`,
    sessionId: session.id,
    at: now,
    entries: [
      { account: 'session', ref: session.id, amount },
      { account: 'creator', ref: session.payee_id, amount: -net },
      { account: 'house', ref: 'house', amount: -commission },
    ],
  })
  // Creator first, house last: the order of these is the order of their blocks.
  const common = { sessionId: session.id, arrivalHash: null, addressId: session.address_id }
  const creator = { role: 'creator', payeeId: session.payee_id, destination: session.recipient, amount: net } as const
  if (net > 0n) await owe(services, tx, { ...common, ...creator })
  else await moveSession(tx, session.id, 'pay', now)
  await giveBack(services, tx, session, arrivals, unspent - amount)
  const house = { role: 'house', payeeId: null, destination: services.keyring.house, amount: commission } as const
  if (commission > 0n) await owe(services, tx, { ...common, ...house })
  await onMoney(services, tx, { kind: isSale ? 'sale-received' : 'tip-received', session: sold })
  return false
}

/** To whoever sent it: what came last goes back first. */
async function giveBack(
  services: Services,
  tx: Tx,
  session: SessionRow,
  arrivals: readonly UnspentArrival[],
  amount: bigint,
): Promise<void> {
  let left = amount
  for (const { hash, source, amount: whole } of arrivals.toReversed()) {
    if (left === 0n) return
    const part = left < BigInt(whole) ? left : BigInt(whole)
    left -= part
    const refund = await owe(services, tx, {
      role: 'refund',
      sessionId: session.id,
      arrivalHash: hash,
      payeeId: session.payer_id,
      addressId: session.address_id,
      destination: source,
      amount: part,
    })
    await book(tx, {
      asset: 'XNO',
      kind: 'refund',
      cause: `refund:${hash}`,
      sessionId: session.id,
      at: services.clock.now(),
      entries: [
        { account: 'session', ref: session.id, amount: part },
        { account: 'refund', ref: refund.id, amount: -part },
      ],
    })
  }
}
