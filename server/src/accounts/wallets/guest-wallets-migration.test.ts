import { deepEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { olderDatabase } from '../../test/older-database.ts'

test('guests of an older database get their account with the wallet that they paid with first', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0034-guest-wallets.sql')
  const [guest, member, unpaid] = [randomUUID(), randomUUID(), randomUUID()]
  // Their posts and authors do not matter here.
  await client.query('SET session_replication_role = replica')
  for (const [id, isAnonymous] of [
    [guest, true],
    [member, false],
    [unpaid, true],
  ])
    await client.query(
      `INSERT INTO accounts (id, name, handle, is_anonymous, created_at) VALUES ($1, 'x', $2, $3, now())`,
      [id, String(id).slice(0, 8), isAnonymous],
    )
  for (const [accountId, payer, state, at] of [
    [guest, '0xLater', 'settled', '2026-02-01'],
    [guest, '0xFirst', 'settled', '2026-01-01'],
    [member, '0xMember', 'settled', '2026-01-01'],
    [unpaid, '0xUnpaid', 'settling', null],
  ])
    await client.query(
      `INSERT INTO x402_payments (id, state, purpose, post_id, payee_id, network, asset, payer, nonce, amount, pay_to,
         offer_hash, proof, valid_before, checkout_id, account_id, created_at, settled_at, transaction, order_id)
       VALUES ($1, $2, 'checkout', $1, $1, 'eip155:8453', 'USDC', $3, gen_random_uuid()::text, 1, '0x', '', '{}', 1, $1, $4, now(), $5, '0x', $1)`,
      [randomUUID(), state, payer, accountId, at],
    )

  await migrateOnce()

  const { rows } = await client.query('SELECT account_id, kind, address FROM guest_wallets')
  deepEqual(rows, [{ account_id: guest, kind: 'evm', address: '0xFirst' }])
})
