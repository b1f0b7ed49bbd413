import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { listRelatedPosts } from '@pennypost/contract/discovery'
import { deletePost, getPost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import {
  chooseRelatedPosts,
  createSeries,
  deleteSeries,
  getChosenPosts,
  listSeries,
  maxChosenPosts,
  maxSeries,
  maxSeriesPosts,
  updateSeries,
} from '@pennypost/contract/series'
import type { Creator } from '../test/people.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { draft, payable, publish, wholePost } from './posts.fixture.ts'

async function authorIn(t: TestContext) {
  const world = await sharedWorld(t)
  return { world, author: await payable(await world.creator()) }
}

const publishes = async (author: Creator, title: string): Promise<string> =>
  (await publish(author, { ...wholePost, title })).id

const place = async (world: World, postId: string) => {
  const { body } = await world.stranger().calls(listRelatedPosts, { params: { postId }, query: {} })
  const { series } = body
  return series && [series.title, series.position, series.count, series.previous?.title, series.next?.title]
}

test('posts of a series lead to the one before and the one after; readers see the published ones', async (t) => {
  const { world, author } = await authorIn(t)
  const { publisher } = author
  const [one, two, three] = [
    await publishes(author, 'One'),
    await publishes(author, 'Two'),
    await publishes(author, 'Three'),
  ]
  const hidden = (await draft(publisher)).id
  const { status, body: series } = await publisher.calls(createSeries, {
    body: { title: ' Engines ', postIds: [one, hidden, two, three] },
  })
  equal(status, 201)
  equal(series.title, 'Engines')
  deepEqual(
    series.posts.map(({ postId, status }: { postId: string; status: string }) => [postId, status]),
    [
      [one, 'published'],
      [hidden, 'draft'],
      [two, 'published'],
      [three, 'published'],
    ],
  )
  deepEqual((await publisher.calls(listSeries, {})).body.series, [series])
  deepEqual(await place(world, one), ['Engines', 1, 3, undefined, 'Two'])
  deepEqual(await place(world, two), ['Engines', 2, 3, 'One', 'Three'])
  deepEqual(await place(world, three), ['Engines', 3, 3, 'Two', undefined])
  const params = { seriesId: series.id }
  const changed = await publisher.calls(updateSeries, { params, body: { title: 'Wheels', postIds: [three, one] } })
  deepEqual([changed.status, changed.body.posts.length], [200, 2])
  deepEqual(await place(world, one), ['Wheels', 2, 2, 'Three', undefined])
  equal(await place(world, two), null)
  await publisher.calls(withdrawPost, { params: { postId: three } })
  deepEqual(await place(world, one), ['Wheels', 1, 1, undefined, undefined])
  deepEqual((await publisher.calls(deleteSeries, { params })).body, { id: series.id, deleted: true })
  equal(await place(world, one), null)
  equal((await publisher.calls(getPost, { params: { postId: one } })).status, 200)
})

test('a post is in one series, and only its author can put it there', async (t) => {
  const { author, world } = await authorIn(t)
  const { publisher } = author
  const one = await publishes(author, 'One')
  const { body: first } = await publisher.calls(createSeries, { body: { title: 'First', postIds: [one] } })
  const second = await publisher.calls(createSeries, { body: { title: 'Second', postIds: [one] } })
  deepEqual(
    [second.status, second.body.code, second.body.postId, second.body.seriesId],
    [409, 'post-in-series', one, first.id],
  )
  equal((await publisher.calls(listSeries, {})).body.series.length, 1)
  const { body: other } = await publisher.calls(createSeries, { body: { title: 'Other', postIds: [] } })
  const moved = await publisher.calls(updateSeries, {
    params: { seriesId: other.id },
    body: { title: 'Other', postIds: [one] },
  })
  deepEqual([moved.status, moved.body.code], [409, 'post-in-series'])
  const stranger = await payable(await world.creator())
  const body = { title: 'Mine', postIds: [one] }
  deepEqual((await stranger.publisher.calls(createSeries, { body })).body.code, 'post-not-found')
  for (const endpoint of [updateSeries, deleteSeries])
    for (const [person, seriesId] of [
      [stranger.publisher, first.id],
      [publisher, randomUUID()],
    ] as const) {
      const { status, body: refused } = await person.sends(endpoint, {
        params: { seriesId },
        ...(endpoint === updateSeries && { body: { title: 'Mine', postIds: [] } }),
      })
      deepEqual([status, refused.code], [404, 'series-not-found'])
    }
  const unknown = await publisher.calls(updateSeries, {
    params: { seriesId: first.id },
    body: { title: 'First', postIds: [one, randomUUID()] },
  })
  deepEqual([unknown.status, unknown.body.code], [404, 'post-not-found'])
  deepEqual((await publisher.calls(listSeries, {})).body.series[0], first)
})

test('two requests at the same moment cannot put a post in two series', async (t) => {
  const { author } = await authorIn(t)
  const one = await publishes(author, 'One')
  const create = (title: string) => author.publisher.calls(createSeries, { body: { title, postIds: [one] } })
  const replies = await Promise.all(['A', 'B', 'C', 'D'].map(create))
  deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409])
})

test('a series has an end, and so has their number', async (t) => {
  const { author, world } = await authorIn(t)
  const one = await publishes(author, 'One')
  const { publisher } = author
  for (const body of [
    { title: '', postIds: [] },
    { title: 'T', postIds: [one, one] },
    { title: 'T', postIds: Array.from({ length: maxSeriesPosts + 1 }, () => randomUUID()) },
    { title: 'T', postIds: ['x'] },
    { title: 'T' },
    { title: 'T', postIds: [], more: 1 },
  ])
    equal((await publisher.sends(createSeries, { body })).status, 422, JSON.stringify(body).slice(0, 80))
  await world.services.pool.query(
    `INSERT INTO series SELECT gen_random_uuid(), $1, 'n', now() FROM generate_series(1, $2::int)`,
    [author.accountId, maxSeries],
  )
  const full = await publisher.calls(createSeries, { body: { title: 'One more', postIds: [] } })
  deepEqual([full.status, full.body.code], [409, 'series-limit'])
})

test('what the author chose is read first, then what is similar', async (t) => {
  const { author, world } = await authorIn(t)
  const { publisher } = author
  const one = await publishes(author, 'One engine')
  const [two, three] = [await publishes(author, 'Two engines'), await publishes(author, 'Something else')]
  await publishes(author, 'Three engines')
  await world.runJobs()
  const params = { postId: one }
  deepEqual((await publisher.calls(getChosenPosts, { params })).body, { postIds: [] })
  const related = async () => {
    const { body } = await world.stranger().calls(listRelatedPosts, { params, query: { limit: '3' } })
    return body.data.map(({ id }: { id: string }) => id)
  }
  const chosen = await publisher.calls(chooseRelatedPosts, { params, body: { postIds: [three, one, two] } })
  deepEqual(chosen.body, { postIds: [three, two] })
  deepEqual((await publisher.calls(getChosenPosts, { params })).body, { postIds: [three, two] })
  const listed = await related()
  deepEqual(listed.slice(0, 2), [three, two])
  equal(new Set(listed).size, 3)
  await publisher.calls(withdrawPost, { params: { postId: three } })
  await world.runJobs()
  equal((await related())[0], two)
  const other = await payable(await world.creator())
  const theirs = await publishes(other, 'Theirs')
  const unknown = await publisher.calls(chooseRelatedPosts, { params, body: { postIds: [theirs] } })
  deepEqual([unknown.status, unknown.body.code], [404, 'post-not-found'])
  equal((await other.publisher.calls(chooseRelatedPosts, { params, body: { postIds: [] } })).status, 404)
  equal((await other.publisher.calls(getChosenPosts, { params })).status, 404)
  const tooMany = Array.from({ length: maxChosenPosts + 1 }, () => randomUUID())
  equal((await publisher.calls(chooseRelatedPosts, { params, body: { postIds: tooMany } })).status, 422)
})

test('neighbours in a series are not listed again as related posts, chosen or not', async (t) => {
  const { author, world } = await authorIn(t)
  const ids: string[] = []
  for (const title of ['One', 'Two', 'Three', 'Four']) ids.push(await publishes(author, title))
  const [one, two, three, four] = ids
  await world.runJobs()
  const params = { postId: two! }
  const related = async (limit: string) => {
    const { body } = await world.stranger().calls(listRelatedPosts, { params, query: { limit } })
    return body.data.map(({ id }: { id: string }) => id)
  }
  await author.publisher.calls(chooseRelatedPosts, { params, body: { postIds: [three!, four!] } })
  deepEqual((await related('2')).slice(0, 2), [three, four])
  await author.publisher.calls(createSeries, { body: { title: 'Parts', postIds: [one!, two!, three!] } })
  deepEqual(await related('1'), [four])
  const all = await related('12')
  deepEqual([all.includes(one), all.includes(three)], [false, false])
})

test('a deleted draft leaves its series', async (t) => {
  const { author } = await authorIn(t)
  const { publisher } = author
  const gone = await draft(publisher)
  await publisher.calls(createSeries, { body: { title: 'First', postIds: [gone.id] } })
  const headers = { 'x-post-revision': gone.updatedAt }
  equal((await publisher.calls(deletePost, { params: { postId: gone.id }, headers })).status, 200)
  deepEqual((await publisher.calls(listSeries, {})).body.series[0].posts, [])
})
