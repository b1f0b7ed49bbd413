import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getPublicPost } from '@pennypost/contract/discovery'
import { revokeKey } from '@pennypost/contract/keys'
import { getPostVersion, listPostVersions } from '@pennypost/contract/post-versions'
import { createPost, getPost, listPosts, updatePost } from '@pennypost/contract/posts'
import { publishPost } from '@pennypost/contract/publishing'
import { sessionCookie } from '../accounts/session-cookie.ts'
import type { Creator } from '../test/people.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { draft, payable, wholePost } from './posts.fixture.ts'

const postOf = async ({ publisher }: Creator, postId: string) =>
  (await publisher.calls(getPost, { params: { postId } })).body

async function saveWithKey(author: Creator, postId: string, body: object): Promise<void> {
  const headers = { 'x-post-revision': (await postOf(author, postId)).updatedAt }
  equal((await author.publisher.calls(updatePost, { params: { postId }, headers, body })).status, 200)
}

/** Calls as a browser does: with the cookie of a session, from a page of the site. */
async function browse(
  world: World,
  { pair }: Creator,
  method: 'POST' | 'PATCH',
  url: string,
  payload: object,
  more = {},
) {
  const [cookie] = sessionCookie(world.origin, pair).split(';')
  const headers = { cookie, origin: world.origin, ...more }
  const reply = await world.server.inject({ method, url, headers, payload })
  equal(reply.statusCode < 300, true, reply.body)
  return reply.json()
}

async function saveInBrowser(world: World, author: Creator, postId: string, body: object): Promise<void> {
  const { updatedAt } = await postOf(author, postId)
  await browse(world, author, 'PATCH', updatePost.path.replace('{postId}', postId), body, {
    'x-post-revision': updatedAt,
  })
}

test('what a key wrote is marked with the key, in posts, lists and versions; what a browser wrote is not', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const mark = { keyId: author.keyId, label: null, status: 'active' }
  const { id } = await draft(author.publisher, { ...wholePost, freeContentMarkdown: 'by the key' })
  deepEqual((await postOf(author, id)).writtenByKey, mark)
  await saveInBrowser(world, author, id, { freeContentMarkdown: 'in the browser' })
  equal((await postOf(author, id)).writtenByKey, null)
  await world.advance(6 * 60)
  await saveWithKey(author, id, { freeContentMarkdown: 'by the key again' })
  await world.advance(6 * 60)
  await saveInBrowser(world, author, id, { title: 'Mine' })
  const [listed] = (await author.publisher.calls(listPosts, {})).body.data
  equal(listed.writtenByKey, null)
  const { versions } = (await author.publisher.calls(listPostVersions, { params: { postId: id } })).body
  deepEqual(
    versions.map(({ writtenByKey }: { writtenByKey: unknown }) => writtenByKey),
    [mark, null, mark],
  )
  const params = { postId: id, versionId: versions[0].id }
  const version = (await author.publisher.calls(getPostVersion, { params })).body
  deepEqual([version.freeContentMarkdown, version.writtenByKey], ['by the key again', mark])
  // A change of anything counts, and a publication of nothing.
  await saveWithKey(author, id, { tags: ['a tag'] })
  deepEqual((await postOf(author, id)).writtenByKey, mark)
  await browse(world, author, 'POST', publishPost.path.replace('{postId}', id), {})
  deepEqual((await postOf(author, id)).writtenByKey, mark)
  const created = await browse(world, author, 'POST', createPost.path, { title: 'From the studio' })
  equal(created.writtenByKey, null)
})

test('a mark says that its key has ended, and readers never see it', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const { id } = await draft(author.publisher, { ...wholePost, freeContentMarkdown: 'free' })
  await author.publisher.calls(publishPost, { params: { postId: id } })
  const params = { postId: id }
  for (const reader of [world.stranger(), author.owner]) {
    for (const endpoint of [getPublicPost, getAccess]) {
      const { status, body } = await reader.sends(endpoint, { params })
      equal(status, 200)
      equal(JSON.stringify(body).includes(author.keyId), false)
    }
  }
  await world.advance(30 * 60)
  const read = async () => {
    const path = getPost.path.replace('{postId}', id)
    const [cookie] = sessionCookie(world.origin, author.pair).split(';')
    return (await world.server.inject({ method: 'GET', url: path, headers: { cookie } })).json().writtenByKey.status
  }
  equal(await read(), 'active')
  await world.services.pool.query('UPDATE publishing_keys SET expires_at = $2 WHERE key_id = $1', [
    author.keyId,
    world.services.clock.now(),
  ])
  equal(await read(), 'expired')
  await author.owner.calls(revokeKey, { params: { keyId: author.keyId } })
  equal(await read(), 'revoked')
  await world.services.pool.query('DELETE FROM publishing_keys WHERE key_id = $1', [author.keyId])
  equal(await read(), 'revoked')
})
