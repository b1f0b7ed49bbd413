import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../../../test/older-database.ts'

const renamed = [
  ['forget-expired', 'delete-expired'],
  ['forget-empty-guests', 'delete-empty-guests'],
  ['forget-guest-checkouts', 'delete-guest-checkouts'],
  ['forget-siwx-nonces', 'delete-siwx-nonces'],
  ['forget-readers', 'delete-readers'],
] as const

test('an older database keeps its waiting jobs and the times of its checks under their new names', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0031-rail-names.sql')
  await client.query(`
    INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, next_look_at)
      OVERRIDING SYSTEM VALUE VALUES (7, 'nano_1', 'order', 1, now(), now(), '2030-01-02T00:00:00Z')`)
  const names = [...renamed.map(([old]) => old), 'send-push']
  for (const name of names)
    await client.query(
      `INSERT INTO jobs (name, payload, key, run_at, attempts, max_attempts) VALUES ($1, '{}', $2, '2030-01-01', 1, 3)`,
      [name, `every:${name}`],
    )

  await migrateOnce()

  const { rows: jobs } = await client.query('SELECT name, key, attempts FROM jobs ORDER BY id')
  deepEqual(
    jobs,
    [...renamed.map(([, name]) => name), 'send-push'].map((name) => ({ name, key: `every:${name}`, attempts: 1 })),
  )
  const { rows: addresses } = await client.query('SELECT id, next_check_at FROM nano_addresses')
  deepEqual(addresses, [{ id: '7', next_check_at: new Date('2030-01-02T00:00:00Z') }])
  const { rows: left } = await client.query(
    `SELECT conname AS name FROM pg_constraint WHERE conname LIKE '%next_look%'
     UNION SELECT attname FROM pg_attribute WHERE attrelid = 'nano_addresses'::regclass AND attname LIKE '%look%'`,
  )
  deepEqual(left, [])
})
