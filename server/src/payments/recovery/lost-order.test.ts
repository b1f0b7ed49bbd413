import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { auditLost } from '../audit/audit-lost.ts'
import type { PaymentRow } from '../x402/payment-store.ts'
import { journalPayment } from './journal-record.ts'
import { recover } from './recover.ts'
import { openShop, ordersOf } from './restore.fixture.ts'

test('a payment whose order is lost for good goes back to its sender, needs no person, and stops no later recovery', async (t) => {
  const shop = await openShop(t, 1)
  const [known] = shop.buyers
  await shop.afterBackup(async (world) => {
    const [address] = await ordersOf(shop, world, [await world.reader()])
    const { rows } = await world.services.pool.query('SELECT id FROM orders')
    await journalPayment(world.services, paymentFor(shop.postId, rows[0].id, address!))
  })
  await shop.afterRestore(async (world) => {
    const { returning, unrecoverable } = await recover(world.services)
    deepEqual({ returning, unrecoverable }, { returning: 1, unrecoverable: [] })
    deepEqual(await auditLost(world.services), [])
  })
  await shop.afterBackup(async (world) => {
    await ordersOf(shop, world, [known!])
  })
  await shop.afterRestore(async (world) => {
    equal((await recover(world.services)).recovered, 1)
  })
})

/** What a process notes of a payment under an x402 offer. */
const paymentFor = (post_id: string, order_id: string, pay_to: string) =>
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
