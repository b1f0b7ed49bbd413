import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost, listTags, updatePost } from '@pennypost/contract/posts'
import { sharedWorld } from '../test/world.ts'

test('tags are normalized, kept in their first spelling, and replaced as a whole', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, handle, accountId } = await world.creator()
  const created = await publisher.calls(createPost, {
    body: { title: 'A', tags: [' Deep \u00a0 Sea ', 'deep sea', 'Cafe\u0301'] },
  })
  const names = (post: { tags: { name: string }[] }) => post.tags.map(({ name }) => name).sort()
  deepEqual(names(created.body), ['Café', 'Deep Sea'])
  const tag = created.body.tags.find(({ name }: { name: string }) => name === 'Deep Sea')
  equal(tag.profileId, accountId)
  equal(tag.collectionUrl, `${world.origin}/@${handle}/tags/deep-sea`)
  const ids = created.body.tags.map(({ id }: { id: string }) => id)
  deepEqual(ids, [...ids].sort())

  const edit = async (revision: string, body: object) =>
    (
      await publisher.sends(updatePost, {
        params: { postId: created.body.id },
        headers: { 'x-post-revision': revision },
        body,
      })
    ).body
  const kept = await edit(created.body.updatedAt, { title: 'B' })
  deepEqual(names(kept), ['Café', 'Deep Sea'])
  const replaced = await edit(kept.updatedAt, { tags: ['DEEP SEA', 'New'] })
  deepEqual(names(replaced), ['Deep Sea', 'New'])
  deepEqual(names(await edit(replaced.updatedAt, { tags: [] })), [])
  const { body } = await publisher.calls(listTags, {})
  deepEqual(
    body.tags.map(({ name, slug, postCount }: { name: string; slug: string; postCount: number }) => [
      name,
      slug,
      postCount,
    ]),
    [
      ['Café', 'cafe', 0],
      ['Deep Sea', 'deep-sea', 0],
      ['New', 'new', 0],
    ],
  )
})

test('names with one slug get numbered slugs; tags of two creators are two tags', async (t) => {
  const world = await sharedWorld(t)
  const [ada, eve] = [await world.creator(), await world.creator()]
  await ada.publisher.calls(createPost, { body: { title: 'A', tags: ['C++', 'C', 'C#'] } })
  const slugs = (await ada.publisher.calls(listTags, {})).body.tags.map(({ slug }: { slug: string }) => slug).sort()
  deepEqual(slugs, ['c', 'c-2', 'c-3'])
  await eve.publisher.calls(createPost, { body: { title: 'A', tags: ['C'] } })
  equal((await eve.publisher.calls(listTags, {})).body.tags[0].slug, 'c')
})

test('twenty Posts with the same new tags at once: each tag once', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const tags = ['one', 'two', 'three', 'four']
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      publisher.calls(createPost, { body: { title: 'A', tags: index % 2 ? tags : tags.toReversed() } }),
    ),
  )
  deepEqual([...new Set(replies.map(({ status }) => status))], [201])
  const listed = (await publisher.calls(listTags, {})).body.tags
  equal(listed.length, 4)
  deepEqual([...new Set(listed.map(({ postCount }: { postCount: number }) => postCount))], [20])
})
