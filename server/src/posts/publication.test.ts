import { deepEqual, equal, notDeepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { getPost } from '@pennypost/contract/posts'
import { publishPost } from '@pennypost/contract/publishing'
import { sharedWorld, type World } from '../test/world.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { sendImage } from '../uploads/uploads.fixture.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { draft, paidPost, payable, payableOnBase } from './posts.fixture.ts'

test('the reply to a publication is what the author reads afterwards: with tags, ZIPs and images', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await payableOnBase(await payable(await world.creator()))
  const { id: postId } = await draft(publisher, { ...paidPost, tags: ['Engines', 'Água', 'Rails'] })
  const params = { postId }
  await uploadZip(publisher, postId, smallZip())
  await sendImage(publisher, postId)
  await world.runJobs()
  const { body, status } = await publisher.calls(publishPost, { params })
  equal(status, 200, JSON.stringify(body))
  const { emailSubscribers: _, ...post } = body
  deepEqual([post.tags.length, post.attachments.length], [3, 1])
  deepEqual(post, (await publisher.calls(getPost, { params })).body)
})

test('a publication finds the same terms as when the post is indexed again', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const found: string[][] = []
  for (const searchPaidContent of [true, false]) {
    const { id: postId } = await draft(author.publisher, {
      ...paidPost,
      description: 'Été à 100%',
      freeContentMarkdown: 'Steam engines, 語り',
      paidContentMarkdown: 'zeppelins',
      searchPaidContent,
    })
    await author.publisher.calls(publishPost, { params: { postId } })
    const first = await termsOf(world, postId)
    await world.services.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('catalog').where('post_id', '=', postId).execute()
      await indexPosts(tx, [postId])
    })
    deepEqual(await termsOf(world, postId), first)
    found.push(first)
  }
  notDeepEqual(found[0], found[1])
})

async function termsOf({ services }: World, postId: string): Promise<string[]> {
  const { rows } = await services.pool.query('SELECT terms::text[] FROM search_terms WHERE post_id = $1', [postId])
  return rows[0].terms
}
