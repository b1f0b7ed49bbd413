import { deepEqual, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { olderDatabase } from '../../test/older-database.ts'

test('what guests of an older database bought and moved with USDC stays where it is', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0045-guest-orders.sql')
  const [moved, kept, owned, claimer] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  // Their posts and authors do not matter here.
  await client.query('SET session_replication_role = replica')
  await client.query(`INSERT INTO accounts (id, name, handle, created_at) VALUES ($1, 'x', 'claimer', now())`, [
    claimer,
  ])
  for (const [order, accountId, claimedBy] of [
    [moved, null, claimer],
    [kept, null, null],
    [owned, claimer, null],
  ]) {
    await client.query(
      `INSERT INTO orders (id, kind, state, asset, payer_id, payee_id, post_id, amount_raw, commission_raw, recipient,
         received_raw, created_at, expires_at, received_at, paid_at, transaction)
       VALUES ($1, 'purchase', 'paid', 'USDC', $1, $1, $1, 1, 0, '0x', 1, now(), now(), now(), now(), '0x')`,
      [order],
    )
    await client.query(
      `INSERT INTO checkouts (id, post_id, payee_id, account_id, amount, pay_to, created_at, expires_at, claimed_by)
       VALUES ($1, $1, $1, $2, 1, '0x', now(), now(), $3)`,
      [order, accountId, claimedBy],
    )
    await client.query(
      `INSERT INTO x402_payments (id, state, purpose, post_id, payee_id, network, asset, payer, nonce, amount, pay_to,
         offer_hash, proof, valid_before, checkout_id, account_id, created_at, settled_at, transaction, order_id)
       VALUES ($1, 'settled', 'checkout', $1, $1, 'eip155:8453', 'USDC', '0x', $2, 1, '0x', '', '{}', 1, $1, $1, now(),
         now(), '0x', $1)`,
      [order, `nonce of ${order}`],
    )
  }

  await migrateOnce()

  const { rows } = await client.query('SELECT id, is_guest, claimed_by FROM orders')
  const byId = new Map(rows.map(({ id, is_guest, claimed_by }) => [id, [is_guest, claimed_by]]))
  deepEqual(
    [byId.get(moved), byId.get(kept), byId.get(owned)],
    [
      [true, claimer],
      [true, null],
      [false, null],
    ],
  )
  // An order without a payer is one of a guest who has not paid.
  await rejects(client.query('UPDATE orders SET payer_id = NULL WHERE id = $1', [moved]), /orders_payer_check/)
})
