import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rowsRead } from '../test/rows-read.ts'
import { commentsOfPost, commentsOfThread, threadsBySort } from './comment-store.ts'
import { comments, discussionIn } from './discussion.fixture.ts'
import { byPrefix } from './mention-store.ts'
import { postTarget } from './reaction-store.ts'

test('a page of 50 comments out of 50,000 reads only what it shows, at the start, in the middle and at the end', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  const { pool } = world.services
  const root = await comments(reader, postId, 'root')
  for (let part = 0; part < 10; part += 1) {
    await pool.query(
      `INSERT INTO comments (id, post_id, author_id, thread_root_id, reply_target_id, content, created_at)
       SELECT gen_random_uuid(), $1, $2, $3, $3, 'reply', timestamptz '2030-01-01' + n * interval '1 second'
       FROM generate_series($4::int * 5000 + 1, $4::int * 5000 + 5000) n`,
      [postId, reader.accountId, root.id, part],
    )
  }
  // The commenter has two wallets. Many other wallets bought this post, and the query must not read them.
  await pool.query(
    `INSERT INTO wallets (account_id, kind, address, linked_at) SELECT $1, 'evm', 'own' || n, now() FROM generate_series(1, 2) n`,
    [reader.accountId],
  )
  const client = await pool.connect()
  await client.query('SET session_replication_role = replica')
  await client.query(
    `INSERT INTO wallets (account_id, kind, address, linked_at) SELECT gen_random_uuid(), 'evm', 'other' || n, now() FROM generate_series(1, 5000) n`,
  )
  await client.query(
    `INSERT INTO wallet_entitlements SELECT 'eip155:8453', 'other' || n, $1, 'x402', now() FROM generate_series(1, 5000) n`,
    [postId],
  )
  client.release(true)
  for (const table of ['comments', 'wallets', 'wallet_entitlements']) await pool.query(`ANALYZE ${table}`)
  for (const after of ['-infinity', '2030-01-01T07:00:00Z', '2030-01-01T13:50:00Z']) {
    const values = [reader.accountId, postId, after, 51]
    // Six rows per comment: the comment, its author, their profile, their two wallets and the viewer's reaction.
    ok((await rowsRead(pool, commentsOfPost, values)) <= 51 * 6, after)
    ok((await rowsRead(pool, commentsOfThread, [...values, root.id])) <= 51 * 6, after)
  }
})

test('a page of threads reads only what it shows, among 20,000 threads and in a thread of 20,000 replies', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  const { pool } = world.services
  const root = await comments(reader, postId, 'root')
  const time = `timestamptz '2030-01-01' + n * interval '1 second'`
  await pool.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at, heart)
     SELECT id, $1, $2, id, 'root', ${time}, n % 7
     FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 20000) n) made`,
    [postId, reader.accountId],
  )
  await pool.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, reply_target_id, content, created_at)
     SELECT gen_random_uuid(), $1, $2, $3, $3, 'reply', ${time} FROM generate_series(20001, 40000) n`,
    [postId, reader.accountId, root.id],
  )
  await pool.query('ANALYZE comments')
  const positions = {
    start: ['infinity', '-infinity', 2 ** 31 - 1],
    middle: ['2030-01-01T02:00:00Z', '2030-01-01T02:00:00Z', 3],
    // In the long thread, which is last in both orders.
    end: [root.created_at, '2030-01-01T08:00:00Z', 0],
  } as const
  for (const [where, [rootAt, at, reactions]] of Object.entries(positions)) {
    const values = [reader.accountId, postId, 51, rootAt, at]
    // A comment as a root, as a part of its thread and with its author, their profile and the viewer's reaction.
    ok((await rowsRead(pool, threadsBySort.newest, values)) <= 51 * 6, `newest, ${where}`)
    ok((await rowsRead(pool, threadsBySort.popular, [...values, reactions])) <= 51 * 6, `popular, ${where}`)
  }
})

test('suggestions and reactors read a bounded range of an index', async (t) => {
  const { postId, world } = await discussionIn(t)
  const { pool } = world.services
  // In parts, each of which has ten seconds.
  for (let first = 1; first < 5000; first += 500)
    await pool.query(
      `INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), 'Ada Adams ' || n, 'many_' || n, now() FROM generate_series($1::int, $1 + 499) n`,
      [first],
    )
  await pool.query(
    `INSERT INTO post_reactions SELECT $1, id, CASE WHEN handle LIKE '%7' THEN 'heart' ELSE 'fire' END, now() FROM accounts`,
    [postId],
  )
  for (const table of ['accounts', 'name_words', 'post_reactions']) await pool.query(`ANALYZE ${table}`)
  for (const prefix of ['many_', 'ad', 'zz']) ok((await rowsRead(pool, byPrefix, [prefix, 10])) <= 450, prefix)
  equal((await pool.query(byPrefix.text, ['many_12', 10])).rowCount, 10)
  ok((await rowsRead(pool, postTarget.reactors, [postId, 'heart', 40, 0])) <= 40 * 3)
})
