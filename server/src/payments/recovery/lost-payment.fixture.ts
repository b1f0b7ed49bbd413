import { randomUUID } from 'node:crypto'
import type { World } from '../../test/world.ts'
import type { PaymentRow } from '../x402/payment-store.ts'
import { journalPayment } from './journal-record.ts'
import { ordersOf, type Shop } from './restore.fixture.ts'

/** A payment under an x402 offer, as a process records it. */
export const paymentFor = (post_id: string, order_id: string, pay_to: string) =>
  ({
    id: randomUUID(),
    purpose: 'access',
    post_id,
    comment_id: null,
    payee_id: randomUUID(),
    network: 'nano:mainnet',
    asset: 'XNO',
    payer: pay_to,
    nonce: 'A'.repeat(64),
    previous: null,
    amount: '1',
    pay_to,
    offer_hash: Buffer.alloc(32),
    proof: {},
    identifier: null,
    valid_before: null,
    seen_at_block: null,
    checkout_id: null,
    account_id: null,
    order_id,
    created_at: new Date(),
  }) as unknown as PaymentRow

/** Records a payment under an offer, like the process that takes it. */
export async function notesPayment(shop: Shop, world: World): Promise<PaymentRow> {
  const [address] = await ordersOf(shop, world, shop.buyers)
  const { rows } = await world.services.pool.query('SELECT id, payee_id FROM orders')
  const payment = { ...paymentFor(shop.postId, rows[0].id, address!), payee_id: rows[0].payee_id }
  await journalPayment(world.services, payment)
  return payment
}

/** No node knows the invented payments of these tests. */
export const forgetsJobs = ({ services }: World) =>
  services.pool.query("DELETE FROM jobs WHERE name = 'settle-x402-payment'")
