import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../../../test/older-database.ts'

test('in an older database, addresses whose money has arrived count as paid', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0036-address-checks.sql')
  // 1: a sold order. 2: an order without money. 3: an order with a part. 4: a sign-in that was paid.
  await client.query(`
    SET session_replication_role = replica;
    INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, next_check_at)
      OVERRIDING SYSTEM VALUE SELECT id, 'nano_' || id, 'order', 1, now(), now(), now() FROM generate_series(1, 4) id;
    INSERT INTO orders (id, kind, state, payer_id, payee_id, post_id, amount_raw, commission_raw, recipient, address_id,
        received_raw, created_at, expires_at, received_at)
      SELECT gen_random_uuid(), 'purchase', CASE id WHEN 1 THEN 'received' ELSE 'pending' END, gen_random_uuid(),
        gen_random_uuid(), gen_random_uuid(), 9, 1, 'nano_9', id, 0, now(), now(),
        CASE id WHEN 1 THEN '2026-01-01T00:00:00Z'::timestamptz END
      FROM generate_series(1, 3) id;
    INSERT INTO nano_arrivals (hash, address_id, amount, source, seen_at) VALUES
      (repeat('A', 64), 1, 9, 'nano_8', '2026-01-01T00:00:00Z'), (repeat('B', 64), 3, 1, 'nano_8', '2026-01-01T00:00:00Z'),
      (repeat('C', 64), 4, 1, 'nano_8', '2026-01-03T00:00:00Z'), (repeat('D', 64), 4, 1, 'nano_8', '2026-01-02T00:00:00Z');
    SET session_replication_role = DEFAULT`)

  await migrateOnce()

  const { rows } = await client.query('SELECT id, paid_at FROM nano_addresses ORDER BY id')
  deepEqual(rows, [
    { id: '1', paid_at: new Date('2026-01-01T00:00:00Z') },
    { id: '2', paid_at: null },
    { id: '3', paid_at: null },
    { id: '4', paid_at: new Date('2026-01-02T00:00:00Z') },
  ])
})
