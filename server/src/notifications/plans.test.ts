import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rowsRead } from '../test/rows-read.ts'
import { sharedWorld } from '../test/world.ts'
import { countsOfAccount, firstOfAll } from './feed-store.ts'

test('the first page and the counts read only the rows they show, however long the feed is', async (t) => {
  const world = await sharedWorld(t)
  const { accountId } = await world.reader()
  const { pool } = world.services
  await pool.query(
    `INSERT INTO notifications (account_id, kind, origin, title, body, url, created_at)
     SELECT $1, CASE WHEN n % 2 = 0 THEN 'new_comment' ELSE 'comment_reply' END, 'many:' || n, 'T', 'B', '/',
       now() - n * interval '1 second' FROM generate_series(1, 30000) n`,
    [accountId],
  )
  await pool.query(
    `INSERT INTO notification_counts (account_id, kind, total, unread)
     SELECT account_id, kind, count(*), count(*) FROM notifications GROUP BY account_id, kind`,
  )
  await pool.query('VACUUM ANALYZE notifications')
  // Five rows per notification: index entry, notification, count of its kind, actor and profile.
  ok((await rowsRead(pool, firstOfAll[0]!, [accountId])) <= 20 * 5)
  ok((await rowsRead(pool, countsOfAccount, [accountId])) <= 11)
})
