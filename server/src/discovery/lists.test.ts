import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  getLeaderboard,
  getPublicPost,
  leaderboards,
  listPaidPosts,
  listRelatedPosts,
} from '@pennypost/contract/discovery'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { freeAgain as free, payable } from '../posts/posts.fixture.ts'
import { authorIn, publishes } from './published.fixture.ts'

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)

test('the paid catalog: paid Posts only, newest first, cursors that neither skip nor repeat', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const posts: { id: string; publishedAt: string }[] = []
  for (let index = 0; index < 7; index += 1) {
    posts.push(await publishes(author, { title: `Paid ${index}` }))
    // Some at the same moment: the id decides.
    if (index % 2 === 1) await world.advance(60)
  }
  await publishes(author, { title: 'Free', ...free })
  const seen: string[] = []
  let cursor: string | null | undefined
  do {
    const query = { limit: '2', ...(cursor && { cursor }) }
    const { status, body } = await reader.calls(listPaidPosts, { query })
    equal(status, 200)
    seen.push(...idsOf(body.data))
    cursor = body.nextCursor
    // What is published meanwhile is newer than the place, and moves nothing.
    if (seen.length === 2) await publishes(author, { title: 'Meanwhile' })
  } while (cursor)
  equal(seen.length, 7)
  deepEqual(new Set(seen), new Set(idsOf(posts)))
  const { body } = await reader.calls(listPaidPosts, {})
  const times = body.data.map(({ id }: { id: string }) => posts.find((post) => post.id === id)?.publishedAt ?? 'z')
  deepEqual(times, [...times].sort().reverse())
  equal(body.nextCursor, null)
})

test('published_after is inclusive and goes with the cursor; other cursors are 400', async (t) => {
  const { world, author, reader } = await authorIn(t)
  await publishes(author)
  await world.advance(60)
  const cut = await publishes(author)
  await world.advance(60)
  await publishes(author)
  const first = await reader.calls(listPaidPosts, { query: { published_after: cut.publishedAt, limit: '1' } })
  const { nextCursor } = first.body
  const second = await reader.calls(listPaidPosts, { query: { cursor: nextCursor, limit: '1' } })
  deepEqual(idsOf(second.body.data), [cut.id])
  equal(second.body.nextCursor, null)
  const flipped = `${nextCursor.slice(0, 5)}${nextCursor[5] === 'A' ? 'B' : 'A'}${nextCursor.slice(6)}`
  for (const query of [
    { cursor: flipped },
    { cursor: 'nonsense' },
    { cursor: '' },
    { cursor: `${nextCursor}=` },
    { cursor: nextCursor, published_after: '2020-01-01T00:00:00Z' },
    { limit: '251' },
    { limit: '0' },
    { published_after: 'yesterday' },
  ]) {
    equal((await reader.sends(listPaidPosts, { query })).status, 400, JSON.stringify(query))
  }
})

test('related Posts: shared tags first, then words, category and language; cached for five minutes', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const other = await payable(await world.creator())
  const post = await publishes(author, { title: 'Steam engines', tags: ['Steam'] })
  const tagged = await publishes(author, { title: 'Boilers', tags: ['Steam'], category: 'science' })
  const worded = await publishes(other, { title: 'Engines of tomorrow' })
  const distant = await publishes(other, { title: 'Bread', category: 'health', language: 'de' })
  const near = await publishes(other, { title: 'Valves' })
  const { status, body, headers } = await reader.calls(listRelatedPosts, { params: { postId: post.id } })
  equal(status, 200)
  deepEqual(idsOf(body.data), [worded.id, tagged.id, near.id])
  ok(!idsOf(body.data).includes(distant.id) && !idsOf(body.data).includes(post.id))
  ok(!JSON.stringify(body).includes('secret'))
  equal(headers.get('cache-control'), 'public, max-age=300, stale-while-revalidate=600')
  const one = await reader.calls(listRelatedPosts, { params: { postId: post.id }, query: { limit: '1' } })
  equal(one.body.data.length, 1)
  equal((await reader.sends(listRelatedPosts, { params: { postId: post.id }, query: { limit: '13' } })).status, 400)
  equal((await reader.calls(listRelatedPosts, { params: { postId: randomUUID() } })).status, 404)
  // Other words are compared at once; those of the old title no longer count.
  const rename = async ({ id, updatedAt }: { id: string; updatedAt: string }, title: string, of = other) =>
    equal(
      (
        await of.publisher.calls(updatePost, {
          params: { postId: id },
          headers: { 'x-post-revision': updatedAt },
          body: { title },
        })
      ).status,
      200,
    )
  const related = async () => idsOf((await reader.calls(listRelatedPosts, { params: { postId: post.id } })).body.data)
  await rename(near, 'Steaming engine')
  await rename(worded, 'Tomorrow')
  deepEqual(await related(), [near.id, tagged.id, worded.id])
  await rename(post, 'Tomorrow, tomorrow', author)
  deepEqual(await related(), [worded.id, tagged.id, near.id])
  await author.publisher.calls(withdrawPost, { params: { postId: post.id } })
  equal((await reader.calls(listRelatedPosts, { params: { postId: post.id } })).status, 404)
})

test('leaderboards: ranks by value, hidden rows left out, my own rank', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const people = [author, await world.creator(), await world.creator(), await world.reader()]
  for (const [index, { accountId }] of people.entries()) {
    await world.services.pool.query(
      `INSERT INTO account_figures (account_id, follower_count, sales_count, earned_raw, given_raw) VALUES ($1, $2, $2, $3, $3)
       ON CONFLICT (account_id) DO UPDATE SET follower_count = $2, sales_count = $2, earned_raw = $3, given_raw = $3`,
      [accountId, index, index === 0 ? '0' : `${index}${'0'.repeat(30)}`],
    )
  }
  for (const board of leaderboards) {
    const { status, body } = await reader.calls(getLeaderboard, { query: { board } })
    equal(status, 200)
    deepEqual([body.total, body.limit, body.offset, body.my_rank, body.board], [3, 25, 0, null, board])
    deepEqual(
      body.items.map(({ profile }: { profile: { id: string } }) => profile.id),
      [3, 2, 1].map((index) => people[index]!.accountId),
    )
    deepEqual(
      body.items.map(({ rank }: { rank: number }) => rank),
      [1, 2, 3],
    )
    const isMoney = board === 'creators_earnings' || board === 'supporters'
    equal(isMoney ? body.items[0].valueRaw : body.items[0].value, isMoney ? `3${'0'.repeat(30)}` : 3)
  }
  const own = await people[1]!.owner.calls(getLeaderboard, {
    query: { board: 'creators_sales', limit: '1', offset: '1' },
  })
  deepEqual([own.body.my_rank, own.body.items.length, own.body.items[0].rank], [3, 1, 2])
  equal((await people[0]!.owner.calls(getLeaderboard, { query: { board: 'creators_sales' } })).body.my_rank, null)
  await people[3]!.owner.calls(updateNotificationPreferences, { body: { show_on_creator_leaderboards: false } })
  const hidden = await people[3]!.owner.calls(getLeaderboard, { query: { board: 'creators_sales' } })
  deepEqual([hidden.body.total, hidden.body.my_rank], [2, null])
  equal((await reader.calls(getLeaderboard, { query: { board: 'supporters' } })).body.total, 3)
  equal(
    (await reader.calls(getLeaderboard, { query: { board: 'supporters', offset: '2147483647' } })).body.items.length,
    0,
  )
  for (const query of [
    {},
    { board: 'best' },
    { board: 'supporters', limit: '101' },
    { board: 'supporters', offset: '2147483648' },
  ])
    equal((await reader.sends(getLeaderboard, { query })).status, 400)
})

test('people who open a Post are counted once a month', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author)
  const other = world.stranger()
  const open = (person: typeof reader) => person.calls(getPublicPost, { params: { postId: post.id } })
  await Promise.all([open(reader), open(reader), open(other)])
  await world.services.readers.flush()
  await open(reader)
  await world.services.readers.flush()
  const count = async () => {
    const { rows } = await world.services.pool.query('SELECT reader_count FROM post_figures WHERE post_id = $1', [
      post.id,
    ])
    return rows[0].reader_count
  }
  equal(await count(), 2)
  const { rows } = await world.services.pool.query('SELECT reader FROM post_readers')
  ok(rows.every(({ reader: hash }) => !hash.toString('latin1').includes(reader.address)))
  await world.advance(40 * 24 * 3600)
  await open(reader)
  await world.services.readers.flush()
  equal(await count(), 3)
})
