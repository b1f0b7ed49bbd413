import type { CustodyPurpose } from '../../rails/nano/custody/purpose.ts'
import { onMoney } from '../events.ts'
import { book } from '../ledger/ledger.ts'
import { moveOrder } from '../orders/order-store.ts'
import { movePayout } from './payout-store.ts'

/** The money is confirmed where it was to go: nothing is owed any more. */
export const confirmPayout: CustodyPurpose['onSendConfirmed'] = async (services, tx, send) => {
  const now = services.clock.now()
  const payout = await movePayout(tx, send.id, 'confirm', { confirmed_at: now, block_hash: send.blockHash })
  if (!payout) throw new Error(`payout ${send.id} was sent, and nobody waited for it`)
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
      { account: 'chain', ref: send.address, amount: -send.amount },
    ],
  })
  if (role === 'creator') await moveOrder(tx, order_id!, 'pay', now)
  await onMoney(services, tx, { kind: 'payout-confirmed', payout })
}

/** The network will never take it: it waits for another address. */
export const blockPayout: CustodyPurpose['onSendRefused'] = async (services, tx, send, reason) => {
  const payout = await movePayout(tx, send.id, 'block', { blocked_reason: reason })
  if (payout) await onMoney(services, tx, { kind: 'payout-blocked', payout })
}
