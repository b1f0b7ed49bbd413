import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listFollowedPosts } from '@pennypost/contract/followed-posts'
import { updateFollow } from '@pennypost/contract/follows'
import { withdrawPost } from '@pennypost/contract/publishing'
import { payable } from '../posts/posts.fixture.ts'
import type { Creator, Reader } from '../test/people.ts'
import { followedPostsSql } from './followed-post-store.ts'
import { authorIn, publishes } from './published.fixture.ts'

const follows = async (reader: Reader, creator: Creator, following = true) => {
  const params = { creatorId: creator.accountId }
  equal((await reader.owner.calls(updateFollow, { params, body: { following } })).status, 200)
}

const page = async (reader: Reader, query: object = {}) => {
  const { status, body } = await reader.owner.sends(listFollowedPosts, { query: query as Record<string, unknown> })
  equal(status, 200, JSON.stringify(body))
  return { titles: body.data.map(({ title }: { title: string }) => title), ...body }
}

test('posts of followed creators, newest first, and nothing of others', async (t) => {
  const { world, author: ada } = await authorIn(t, { name: 'Ada L' })
  const [bob, eve] = [await payable(await world.creator()), await payable(await world.creator())]
  const reader = await world.reader()
  deepEqual((await page(reader)).titles, [])
  await follows(reader, ada)
  await follows(reader, bob)
  for (const [author, title] of [
    [ada, 'One'],
    [bob, 'Two'],
    [eve, 'Not followed'],
    [ada, 'Three'],
  ] as const) {
    await publishes(author, { title })
    await world.advance(60)
  }
  const { titles, data, nextCursor } = await page(reader)
  deepEqual([titles, nextCursor], [['Three', 'Two', 'One'], null])
  const { author, publishedAt, commentCount, readingMinutes } = data[0]
  deepEqual([author.handle, author.name, commentCount, readingMinutes], [ada.handle, 'Ada L', 0, 1])
  ok(publishedAt > data[1].publishedAt)
  await ada.publisher.calls(withdrawPost, { params: { postId: data[0].id } })
  deepEqual((await page(reader)).titles, ['Two', 'One'])
  await follows(reader, ada, false)
  deepEqual((await page(reader)).titles, ['Two'])
  // Someone else, who follows nobody.
  deepEqual((await page(await world.reader())).titles, [])
  await world.runJobs()
})

test('cursors go to the last post, neither skip nor repeat, and others are 400', async (t) => {
  const { world, author: ada } = await authorIn(t)
  const bob = await payable(await world.creator())
  const reader = await world.reader()
  for (const creator of [ada, bob]) await follows(reader, creator)
  const ids: string[] = []
  for (let index = 0; index < 9; index += 1) {
    ids.push((await publishes(index % 4 === 0 ? bob : ada, { title: `Post ${index}` })).id)
    // Some at the same moment: the id decides.
    if (index % 2 === 1) await world.advance(60)
  }
  for (const limit of ['1', '2', '4', '9']) {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const shown: Awaited<ReturnType<typeof page>> = await page(reader, { limit, ...(cursor && { cursor }) })
      seen.push(...shown.data.map(({ id }: { id: string }) => id))
      cursor = shown.nextCursor
    } while (cursor !== null)
    deepEqual([seen.length, new Set(seen)], [9, new Set(ids)], limit)
  }
  const times = (await page(reader)).data.map(({ publishedAt }: { publishedAt: string }) => publishedAt)
  deepEqual(times, times.toSorted().toReversed())
  const { status } = await reader.owner.calls(listFollowedPosts, { query: { cursor: 'nonsense' } })
  equal(status, 400)
  await world.runJobs()
})

test('with many follows and posts, a page reads what it shows and one entry for each creator', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'own' })
  const reader = await world.reader()
  const sample = await publishes(author)
  const { rows } = await world.inSession(async (client) => {
    await client.query('SET session_replication_role = replica; SET statement_timeout = 0')
    await client.query(
      `INSERT INTO accounts SELECT (jsonb_populate_record(account, jsonb_build_object('id', gen_random_uuid(), 'handle', 'author' || n, 'email', n || '@example.com'))).*
       FROM accounts account, generate_series(1, 100) n WHERE account.id = $1`,
      [author.accountId],
    )
    await client.query(
      `INSERT INTO posts SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'account_id', account.id,
         'published_at', post.published_at - n * interval '1 hour' - (random() * 3600) * interval '1 second'))).*
       FROM posts post, accounts account, generate_series(1, 20) n WHERE post.id = $1 AND account.handle LIKE 'author%'`,
      [sample.id],
    )
    await client.query(
      `INSERT INTO follows (id, creator_id, follower_id, created_at)
       SELECT gen_random_uuid(), id, $1, now() FROM accounts WHERE handle LIKE 'author%'`,
      [reader.accountId],
    )
    await client.query('ANALYZE')
    return client.query(`EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, FORMAT JSON) ${followedPostsSql}`, [
      reader.accountId,
      'infinity',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      10,
    ])
  })
  const nodes: Record<string, unknown>[] = []
  const collect = (node: Record<string, unknown>) => {
    nodes.push(node)
    for (const inner of (node.Plans as Record<string, unknown>[] | undefined) ?? []) collect(inner)
  }
  collect(rows[0]['QUERY PLAN'][0].Plan)
  const postNodes = nodes.filter((node) => node['Relation Name'] === 'posts')
  ok(postNodes.length > 0)
  for (const node of postNodes) equal(node['Index Name'], 'posts_newest_of_account', JSON.stringify(node))
  const read = postNodes.reduce((sum, node) => sum + Number(node['Actual Rows']) * Number(node['Actual Loops']), 0)
  // One for each of 100 creators, then at most 10 of each of 10.
  ok(read <= 100 + 10 * 10, String(read))
})
