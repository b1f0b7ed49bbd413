import type { Tx } from '../../platform/database/database.ts'
import type { CustodyPurpose, Send } from '../../rails/nano/custody/purpose.ts'
import { onMoney } from '../events.ts'
import { book } from '../ledger/ledger.ts'
import { moveOrder } from '../orders/order-store.ts'
import type { PaymentServices } from '../services.ts'
import { movePayout } from './payout-store.ts'

/** What every purpose does when a payout is confirmed, or can never be sent. */
export const finishPayouts = (
  services: PaymentServices,
): Pick<CustodyPurpose, 'onSendConfirmed' | 'onSendRefused'> => ({
  onSendConfirmed: (tx, send) => confirmPayout(services, tx, send),
  onSendRefused: (tx, send, reason) => blockPayout(services, tx, send, reason),
})

/** The money is confirmed where it was to go: nothing is owed any more. */
async function confirmPayout(services: PaymentServices, tx: Tx, send: Send): Promise<void> {
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
async function blockPayout(services: PaymentServices, tx: Tx, send: Send, reason: string): Promise<void> {
  const payout = await movePayout(tx, send.id, 'block', { blocked_reason: reason })
  if (payout) await onMoney(services, tx, { kind: 'payout-blocked', payout })
}
