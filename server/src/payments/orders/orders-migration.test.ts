import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../../test/older-database.ts'

// Rows as the previous version wrote them. Foreign keys are not asked: they are not what changes.
const before = `
  SET session_replication_role = replica;
  INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, next_look_at)
    OVERRIDING SYSTEM VALUE VALUES (7, 'nano_1', 'session', 1, now(), now(), now());
  INSERT INTO payment_sessions (id, kind, state, payer_id, payee_id, post_id, amount_raw, commission_raw, recipient,
      address_id, received_raw, created_at, expires_at, received_at)
    VALUES ('11111111-1111-4111-8111-111111111111', 'purchase', 'received', gen_random_uuid(), gen_random_uuid(),
      gen_random_uuid(), 340282366920938463463374607431768211455, 5, 'nano_2', 7,
      340282366920938463463374607431768211455, now(), now(), now());
  INSERT INTO session_arrivals (hash, session_id, settled_at) SELECT 'A', id, now() FROM payment_sessions;
  INSERT INTO ledger_movements (asset, kind, cause, session_id, at)
    SELECT 'XNO', 'arrival', 'arrival:A', id, now() FROM payment_sessions;
  INSERT INTO ledger_entries SELECT 1, 'chain', 'nano_1', 9 UNION ALL SELECT 1, 'session', 'x', -9;
  INSERT INTO entitlements SELECT payer_id, post_id, 'purchase', id, now() FROM payment_sessions;
  INSERT INTO payouts (id, role, state, session_id, address_id, destination, amount, created_at)
    SELECT gen_random_uuid(), 'creator', 'waiting', id, 7, 'nano_2', 4, now() FROM payment_sessions;
  INSERT INTO finance_lines (account_id, direction, asset, session_id, gross_raw, commission_raw, net_raw, line_count,
      gross_total, commission_total, net_total)
    SELECT payee_id, 'in', 'XNO', id, 9, 5, 4, 1, 9, 5, 4 FROM payment_sessions;
  INSERT INTO x402_payments (id, purpose, post_id, payee_id, network, asset, payer, nonce, amount, pay_to, quote_hash,
      proof, session_id, created_at)
    SELECT gen_random_uuid(), 'access', post_id, payee_id, 'nano:mainnet', 'XNO', 'nano_3', 'B', 9, 'nano_1', '\\x00',
      '{}', id, now() FROM payment_sessions;
  INSERT INTO jobs (name, payload, key, run_at, attempts, max_attempts) VALUES
    ('close-payment-session', '{"sessionId":"11111111-1111-4111-8111-111111111111"}',
      'payment-session:11111111-1111-4111-8111-111111111111', '2030-01-01', 3, 20),
    ('close-forgotten-payment-sessions', '{}', 'every:close-forgotten-payment-sessions', '2030-01-01', 0, 3);
  SET session_replication_role = DEFAULT`

const renamed = {
  payment_sessions: 'orders',
  session_arrivals: 'order_arrivals',
  nano_addresses: 'nano_addresses',
  ledger_movements: 'ledger_movements',
  ledger_entries: 'ledger_entries',
  entitlements: 'entitlements',
  payouts: 'payouts',
  finance_lines: 'finance_lines',
  x402_payments: 'x402_payments',
}

test('the orders of an older database keep everything but their names', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0026-orders.sql')
  await client.query(before)
  const contentsOf = async (tables: readonly string[]): Promise<string[]> => {
    const asText = (table: string) => `(SELECT json_agg(to_json(rows))::text FROM ${table} rows)`
    const { rows } = await client.query(`SELECT ARRAY[${tables.map(asText).join(', ')}] AS texts`)
    return rows[0].texts
  }
  const old = await contentsOf(Object.keys(renamed))

  await migrateOnce()

  const expected = old.map((text) =>
    text
      .replaceAll('"session_id"', '"order_id"')
      .replaceAll('"purpose":"session"', '"purpose":"order"')
      .replaceAll('"account_kind":"session"', '"account_kind":"order"'),
  )
  expected[1] = expected[1]!.replaceAll('"settled_at"', '"spent_at"')
  deepEqual(await contentsOf(Object.values(renamed)), expected)
  const { rows: jobs } = await client.query('SELECT name, payload, key, attempts FROM jobs ORDER BY name')
  const orderId = '11111111-1111-4111-8111-111111111111'
  deepEqual(jobs, [
    { name: 'close-forgotten-orders', payload: {}, key: 'every:close-forgotten-orders', attempts: 0 },
    { name: 'close-order', payload: { orderId }, key: `order:${orderId}`, attempts: 3 },
  ])

  // Nothing but logins is called a session, and the ledger is as closed as it was.
  const { rows: left } = await client.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname LIKE '%session%'
     UNION SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname LIKE '%session%'
     UNION SELECT tgname FROM pg_trigger WHERE tgname LIKE '%session%'
     UNION SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc LIKE '%session%'
     UNION SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname LIKE '%session%'`,
  )
  deepEqual(
    left.map(({ name }) => name).filter((name) => !/^(sessions_|sessions$|anonymous_sessions)/.test(name)),
    [],
  )
  await rejects(client.query('UPDATE ledger_entries SET amount = 1'))
  equal((await client.query('SELECT count(*)::int AS n FROM ledger_entries')).rows[0].n, 2)
})
