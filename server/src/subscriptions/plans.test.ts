import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rowsRead } from '../test/rows-read.ts'
import { sharedWorld } from '../test/world.ts'
import { listedSubscribers } from './subscriber-store.ts'
import { authorWith } from './subscriptions.fixture.ts'

test('a page reads only the rows it shows, however long the list is', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorWith(world)
  const { pool } = world.services
  await pool.query(
    `INSERT INTO subscribers (id, creator_id, email, source, position, created_at, confirmed_at)
     SELECT gen_random_uuid(), $1, 'many-' || n || '@example.org', 'form', nextval('subscriber_positions'), now(), now()
     FROM generate_series(1, 30000) n`,
    [author.accountId],
  )
  await pool.query('VACUUM ANALYZE subscribers')
  ok((await rowsRead(pool, listedSubscribers, [author.accountId, '9223372036854775807', 51])) <= 51)
})
