import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getPostVersion, listPostVersions, type PostVersionSummary } from '@pennypost/contract/post-versions'
import { deletePost, getPost, updatePost } from '@pennypost/contract/posts'
import { publishPost } from '@pennypost/contract/publishing'
import type { Creator } from '../test/people.ts'
import { createWorld, sharedWorld } from '../test/world.ts'
import { lockPost } from './post-store.ts'
import { keepVersion } from './post-version-store.ts'
import { draft, payable, wholePost } from './posts.fixture.ts'

const minute = 60

async function authorIn(t: TestContext) {
  const world = await sharedWorld(t)
  return { author: await world.creator(), world }
}

async function save({ publisher }: Creator, postId: string, body: object) {
  const { body: post } = await publisher.calls(getPost, { params: { postId } })
  const reply = await publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body,
  })
  equal(reply.status, 200, JSON.stringify(reply.body))
}

async function versionsOf({ publisher }: Creator, postId: string) {
  const { body } = await publisher.calls(listPostVersions, { params: { postId } })
  return Promise.all(
    body.versions.map(async ({ id: versionId, kind }: PostVersionSummary) => {
      const { body: version } = await publisher.calls(getPostVersion, { params: { postId, versionId } })
      return [kind, version.freeContentMarkdown]
    }),
  )
}

test('a version is kept for every five minutes of writing and each publication', async (t) => {
  const world = await createWorld(t)
  const author = await payable(await world.creator())
  const { id } = await draft(author.publisher, { ...wholePost, freeContentMarkdown: 'one' })
  deepEqual(await versionsOf(author, id), [])
  await save(author, id, { freeContentMarkdown: 'two' })
  await save(author, id, { freeContentMarkdown: 'three' })
  deepEqual(await versionsOf(author, id), [['edit', 'one']])
  await world.advance(6 * minute)
  await save(author, id, { freeContentMarkdown: 'four' })
  await save(author, id, { commentsEnabled: false })
  await world.advance(6 * minute)
  await save(author, id, { freeContentMarkdown: 'five' })
  await author.publisher.calls(publishPost, { params: { postId: id } })
  const kept = await versionsOf(author, id)
  deepEqual(kept, [
    ['publish', 'five'],
    ['edit', 'four'],
    ['edit', 'one'],
  ])
})

test('only the author sees versions, and they go with the post', async (t) => {
  const { author, world } = await authorIn(t)
  const other = await world.creator()
  const post = await draft(author.publisher, { title: 'Mine', freeContentMarkdown: 'one', paidContentMarkdown: 'paid' })
  await save(author, post.id, { title: 'Still mine' })
  const params = { postId: post.id }
  const [version] = (await author.publisher.calls(listPostVersions, { params })).body.versions
  deepEqual([version!.title, version!.characters], ['Mine', 7])
  const versionParams = { ...params, versionId: version!.id }
  equal((await author.publisher.calls(getPostVersion, { params: versionParams })).body.paidContentMarkdown, 'paid')
  equal((await other.publisher.sends(listPostVersions, { params })).status, 404)
  equal((await other.publisher.sends(getPostVersion, { params: versionParams })).status, 404)
  const unknown = { ...params, versionId: post.id }
  equal((await author.publisher.sends(getPostVersion, { params: unknown })).body.code, 'version-not-found')
  const { body } = await author.publisher.calls(getPost, { params })
  await author.publisher.calls(deletePost, { params, headers: { 'x-post-revision': body.updatedAt } })
  equal((await author.publisher.sends(getPostVersion, { params: versionParams })).status, 404)
  const left = world.services.db.selectFrom('post_versions').select('id').where('post_id', '=', post.id)
  deepEqual(await left.execute(), [])
})

test('at most 50 versions and 4 MB of text are kept, the newest', async (t) => {
  const { author, world } = await authorIn(t)
  const { db } = world.services
  /** Keeps versions of these lengths, ten minutes apart, and returns the titles of those that stay. */
  const keepAll = async (lengths: readonly number[]) => {
    const { id } = await draft(author.publisher, { title: 'Long', freeContentMarkdown: '0' })
    await db.transaction().execute(async (tx) => {
      const post = (await lockPost(tx, id))!
      for (const [index, length] of lengths.entries()) {
        const updated_us = (BigInt(post.updated_us) + BigInt(index) * 600_000_000n).toString()
        const texts = { title: String(index), free_markdown: '語'.repeat(length) }
        await tx.updateTable('posts').set(texts).where('id', '=', id).execute()
        await keepVersion(tx, { ...post, ...texts, updated_us }, 'edit')
      }
    })
    const { body } = await author.publisher.calls(listPostVersions, { params: { postId: id } })
    return body.versions.map(({ title }: PostVersionSummary) => title)
  }
  const many = await keepAll(Array.from({ length: 53 }, () => 1))
  deepEqual([many.length, many[0], many.at(-1)], [50, '52', '3'])
  // Three bytes each: seven times 570,000 bytes are less than 4 MB, eight times are more.
  deepEqual(await keepAll(Array.from({ length: 9 }, () => 190_000)), ['8', '7', '6', '5', '4', '3', '2'])
})
