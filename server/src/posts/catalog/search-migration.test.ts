import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../../test/older-database.ts'

const [paid, free, draft] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`)

test('published posts of an older database whose paid text was searched literally are indexed again', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0029-search-paid-content.sql')
  await client.query('SET session_replication_role = replica')
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_name = 'posts' AND is_nullable = 'NO' AND column_default IS NULL`,
  )
  // Any value that fits: the migration looks at three columns.
  const any: Record<string, unknown> = {
    boolean: false,
    integer: 0,
    bigint: 0,
    uuid: paid,
    'timestamp with time zone': '2030-01-01',
  }
  const row = Object.fromEntries(columns.map(({ name, type }) => [name, any[type] ?? '']))
  const posts = [
    { ...row, id: paid, status: 'published', paid_text: 'words', published_at: '2030-01-01' },
    { ...row, id: free, status: 'published', paid_text: '', published_at: '2030-01-01' },
    { ...row, id: draft, status: 'draft', paid_text: 'words' },
  ]
  for (const post of posts) {
    const names = Object.keys(post)
    const values = names.map((_, index) => `$${index + 1}`)
    await client.query(`INSERT INTO posts (${names}) VALUES (${values})`, Object.values(post))
  }
  await client.query('DELETE FROM catalog_stale')
  await migrateOnce()
  const { rows } = await client.query('SELECT post_id, is_standing_only FROM catalog_stale')
  deepEqual(rows, [{ post_id: paid, is_standing_only: false }])
})
