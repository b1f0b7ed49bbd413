import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addBookmark, getBookmark, listBookmarks, removeBookmark } from '@pennypost/contract/bookmarks'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { draft } from '../posts/posts.fixture.ts'
import type { Reader } from '../test/people.ts'
import { authorIn, publishes } from './published.fixture.ts'

const saves = (reader: Reader, postId: string) => reader.owner.sends(addBookmark, { params: { postId } })
const isSaved = async (reader: Reader, postId: string): Promise<boolean> =>
  (await reader.owner.calls(getBookmark, { params: { postId } })).body.bookmarked

const page = async (reader: Reader, query: object = {}) => {
  const { status, body } = await reader.owner.sends(listBookmarks, { query: query as Record<string, unknown> })
  equal(status, 200, JSON.stringify(body))
  return { titles: body.data.map(({ title }: { title: string }) => title), ...body }
}

test('a reader saves posts, finds them last saved first, and removes them; nobody else sees them', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const [reader, other] = [await world.reader(), await world.reader()]
  const [one, two] = [await publishes(author, { title: 'One' }), await publishes(author, { title: 'Two' })]
  await world.runJobs()
  equal(await isSaved(reader, one.id), false)
  deepEqual((await page(reader)).titles, [])
  const first = (await saves(reader, two.id)).body
  equal(first.bookmarked, true)
  await world.advance(60)
  await saves(reader, one.id)
  // Saving it again keeps its place.
  deepEqual((await saves(reader, two.id)).body, first)
  const { titles, data, nextCursor } = await page(reader)
  deepEqual([titles, nextCursor], [['One', 'Two'], null])
  deepEqual([data[1].bookmarkedAt, data[1].author.name], [first.bookmarkedAt, 'Ada L'])
  equal(await isSaved(reader, one.id), true)
  equal(await isSaved(other, one.id), false)
  deepEqual((await page(other)).titles, [])
  for (let times = 0; times < 2; times++) {
    const { status, body } = await reader.owner.sends(removeBookmark, { params: { postId: one.id } })
    deepEqual([status, body], [200, { bookmarked: false, bookmarkedAt: null }])
  }
  deepEqual((await page(reader)).titles, ['Two'])
})

test('only public posts can be saved; an unpublished one is left out until it is back', async (t) => {
  const { world, author } = await authorIn(t)
  const reader = await world.reader()
  const { id } = await publishes(author, { title: 'Now and then' })
  await saves(reader, id)
  await world.runJobs()
  const params = { postId: id }
  await author.publisher.calls(withdrawPost, { params })
  deepEqual((await page(reader)).titles, [])
  equal((await saves(await world.reader(), id)).status, 404)
  await author.publisher.calls(publishPost, { params })
  await world.runJobs()
  deepEqual((await page(reader)).titles, ['Now and then'])
  const { id: draftId } = await draft(author.publisher)
  for (const postId of [draftId, randomUUID()]) {
    equal((await saves(reader, postId)).status, 404)
    equal(await isSaved(reader, postId), false)
  }
  equal((await author.publisher.sends(addBookmark, { params })).status, 401)
  equal((await world.stranger().sends(listBookmarks, {})).status, 401)
})

test('cursors go to the last post, neither skip nor repeat, and others are 400', async (t) => {
  const { world, author } = await authorIn(t)
  const reader = await world.reader()
  const ids: string[] = []
  for (let index = 0; index < 5; index++) {
    const { id } = await publishes(author, { title: `Post ${index}` })
    ids.push(id)
    await saves(reader, id)
    // Some at the same moment: the id decides.
    if (index % 2 === 0) await world.advance(60)
  }
  await world.runJobs()
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { data, nextCursor } = await page(reader, { limit: 2, ...(cursor !== undefined && { cursor }) })
    ok(data.length <= 2)
    seen.push(...data.map(({ id }: { id: string }) => id))
    cursor = nextCursor
  }
  deepEqual([...seen].sort(), [...ids].sort())
  for (const cursor of ['x', 'bnVsbA']) {
    equal((await reader.owner.sends(listBookmarks, { query: { cursor } })).status, 400)
  }
})

test('of many requests at once one saves the post, and all succeed', async (t) => {
  const { world, author } = await authorIn(t)
  const reader = await world.reader()
  const { id } = await publishes(author)
  const replies = await Promise.all(Array.from({ length: 10 }, () => saves(reader, id)))
  deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  equal(new Set(replies.map(({ body }) => body.bookmarkedAt)).size, 1)
})
