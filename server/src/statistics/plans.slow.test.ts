import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { payable, publish } from '../posts/posts.fixture.ts'
import { rowsRead } from '../test/rows-read.ts'
import { createWorld } from '../test/world.ts'
import { bestPosts, money, referrers, views } from './statistics-store.ts'

test('statistics read the days that they show, however many others there are', async (t) => {
  const { services, creator } = await createWorld(t)
  const { pool } = services
  const [ada, bob] = [await payable(await creator()), await payable(await creator())]
  const { id: postId } = await publish(ada)
  // 100 and 500 posts with 100 days, two hosts and two assets.
  await pool.query(
    `INSERT INTO posts (id, account_id, slug, title, renderer_version, created_at, updated_us)
     SELECT gen_random_uuid(), CASE WHEN n <= 100 THEN $1::uuid ELSE $2::uuid END, 'post-' || n, 'Post', 1, now(), 1
     FROM generate_series(1, 600) n`,
    [ada.accountId, bob.accountId],
  )
  const days = `posts, generate_series('2026-01-01'::date, '2026-04-10', '1 day') AS day`
  await pool.query(`INSERT INTO post_days SELECT account_id, day, id, 1, 1 FROM ${days}`)
  await pool.query(
    `INSERT INTO post_referrers SELECT account_id, day, id, host, 1 FROM ${days}, unnest(ARRAY['', 'example.org']) host`,
  )
  await pool.query(
    `INSERT INTO earning_days SELECT account_id, day, id, asset, 1, 1, 0, 1, 0, 0 FROM ${days}, unnest(ARRAY['XNO', 'USDC']) asset`,
  )
  for (const table of ['posts', 'post_days', 'post_referrers', 'earning_days']) await pool.query(`ANALYZE ${table}`)
  const ofAccount = [ada.accountId, '2026-02-01', '2026-02-10']
  const ofPost = [...ofAccount, postId]
  deepEqual(await rowsRead(pool, views('post', 'day'), ofPost), 10)
  deepEqual(await rowsRead(pool, money('post', 'day'), ofPost), 20)
  deepEqual(await rowsRead(pool, referrers('post'), ofPost), 20)
  const pairs = 10 * 101
  deepEqual(await rowsRead(pool, views('account', 'day'), ofAccount), pairs)
  deepEqual(await rowsRead(pool, referrers('account'), ofAccount), 2 * pairs)
  // Its posts as well, to leave out tips to comments under those of others.
  ok((await rowsRead(pool, money('account', 'day'), ofAccount)) <= 4 * pairs)
  ok((await rowsRead(pool, bestPosts, ofAccount)) <= 6 * pairs)
})
