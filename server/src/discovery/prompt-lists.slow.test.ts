import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addComment } from '@pennypost/contract/comments'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { declareAgent, updateProfile } from '@pennypost/contract/profiles'
import type { Tx } from '../platform/database/database.ts'
import { startWorker } from '../platform/jobs/worker.ts'
import { newestMark, takeStalePosts, updateFigures } from '../posts/catalog/catalog-store.ts'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import { payable, payableOnBase } from '../posts/posts.fixture.ts'
import { showProfileImage } from '../profiles/profile-store.ts'
import { jobs } from '../rooms.ts'
import { until } from '../test/until.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'
import { authorIn, publishes } from './published.fixture.ts'

// Sooner than the regular run, which comes every 20 seconds and would do it too.
const soon = { withinMs: 15_000, everyMs: 40 }

/** A world whose jobs run by themselves, as in service. */
async function livelyWorld(t: TestContext) {
  const found = await authorIn(t, { name: 'Ada Old' }, { isolation: 'own' })
  const { services } = found.world
  const { pool, clock, log, metrics } = services
  const worker = await startWorker({ jobs, services, pool, clock, log, metrics }, found.world.databaseUrl)
  t.after(() => worker.stop(5_000))
  const total = async (query: object): Promise<number> =>
    (await found.reader.sends(listPublicPosts, { query: { per_page: '1', ...query } })).body.total
  const becomes = (count: number, query: object) =>
    until(`${count} posts for ${JSON.stringify(query)}`, async () => (await total(query)) === count, soon)
  return { ...found, becomes }
}

test('what an author changes appears in lists, filters and search, however soon one change follows another', async (t) => {
  const { world, author, becomes } = await livelyWorld(t)
  const post = await publishes(author, { title: 'An engine', priceCurrency: 'USDC', priceAtomic: '1000000' })
  const usdc = { asset: 'USDC', network: 'eip155:8453' }
  await becomes(0, usdc)
  await payableOnBase(author)
  await becomes(1, usdc)
  await author.publisher.calls(declareAgent, {})
  await becomes(1, { author: 'agent' })
  for (const name of ['Ada Fresh', 'Ada Fresher', 'Ada Freshest']) {
    await author.publisher.calls(updateProfile, { body: { name } })
    await becomes(1, { q: name })
  }
  await becomes(0, { q: 'old' })
  await uploadZip(author.publisher, post.id, smallZip())
  await becomes(1, { has_attachments: 'true' })
  const path = '/media/a-picture.png'
  await world.services.db.transaction().execute((tx) => showProfileImage(tx, author.accountId, 'avatar', path))
  const hasPicture = async () => (await world.server.inject('/')).body.includes(path)
  await until('the page shows the picture', hasPicture, soon)
})

test('a creator of many Posts is renamed in all of them', async (t) => {
  const { author, becomes } = await livelyWorld(t)
  // More than one batch.
  const many = 60
  for (let index = 0; index < many; index += 1) await publishes(author, { title: `Post ${index}` })
  await author.publisher.calls(updateProfile, { body: { name: 'Somebody Else' } })
  await becomes(many, { q: 'somebody else' })
  await becomes(0, { q: 'ada' })
})

test('the job of one author leaves the Posts of others to theirs', async (t) => {
  const { world, author, reader } = await authorIn(t, { name: 'Ada Old' }, { isolation: 'own' })
  const other = await payable(await world.creator({ name: 'Bob Old' }))
  for (const each of [author, other]) {
    await publishes(each, { title: `By ${each.accountId}` })
    await each.publisher.calls(updateProfile, { body: { name: 'Renamed' } })
  }
  const authorsFound = async () =>
    (await reader.calls(listPublicPosts, { query: { q: 'renamed' } })).body.data.map(({ title }: { title: string }) =>
      title.slice(3),
    )
  await indexStalePosts.run(world.services, { accountId: other.accountId })
  deepEqual(await authorsFound(), [other.accountId])
  await world.runJobs()
  deepEqual((await authorsFound()).toSorted(), [author.accountId, other.accountId].toSorted())
})

test('a comment does not wait while its post is indexed, and is counted afterwards', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'own' })
  const { owner: reader } = await world.reader()
  const { db } = world.services
  const { id: postId } = await publishes(author)
  const comments = async (content: string) =>
    equal(
      (await reader.calls(addComment, { params: { postId }, body: { content }, idempotencyKey: content })).status,
      201,
    )
  await comments('First')
  const take = async (tx: Tx) => takeStalePosts(tx, { most: 50, upTo: await newestMark(db) })
  await db.transaction().execute(async (tx) => {
    deepEqual(await take(tx), [{ post_id: postId, is_standing_only: true }])
    await updateFigures(tx, [postId])
    await comments('Second')
  })
  deepEqual(await db.transaction().execute(take), [{ post_id: postId, is_standing_only: true }])
  await world.runJobs()
})

test('the job takes what was marked when it started; a comment made meanwhile waits for the next run', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const { owner: reader } = await world.reader()
  const { db } = world.services
  const [{ id: first }, { id: second }] = [await publishes(author), await publishes(author, { title: 'Second' })]
  const comments = (postId: string) =>
    reader.calls(addComment, { params: { postId }, body: { content: 'Good' }, idempotencyKey: postId })
  equal((await comments(first)).status, 201)
  const upTo = await newestMark(db)
  equal((await comments(second)).status, 201)
  const take = (most: string) => db.transaction().execute((tx) => takeStalePosts(tx, { most: 50, upTo: most }))
  deepEqual(await take(upTo), [{ post_id: first, is_standing_only: true }])
  deepEqual(await take(upTo), [])
  deepEqual(await take(await newestMark(db)), [{ post_id: second, is_standing_only: true }])
  await world.runJobs()
})
