import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { suspendAccount } from '@pennypost/contract/admin-accounts'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { getPublicPost } from '@pennypost/contract/discovery'
import { updateFollow } from '@pennypost/contract/follows'
import { revokeKey } from '@pennypost/contract/keys'
import { listNotifications } from '@pennypost/contract/notifications'
import { barPost } from '@pennypost/contract/post-moderation'
import { deletePost, getPost, listPosts, updatePost } from '@pennypost/contract/posts'
import { clearPayoutAddress } from '@pennypost/contract/profiles'
import { maxScheduleDays, publishPost, unschedulePost, withdrawPost } from '@pennypost/contract/publishing'
import { sessionCookie } from '../accounts/session-cookie.ts'
import { receivedBy } from '../notifications/audience.fixture.ts'
import { failingDatabase } from '../test/failing-database.ts'
import type { Creator } from '../test/people.ts'
import type { Person } from '../test/person.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { reserve, smallZip } from '../uploads/attachments.fixture.ts'
import { draft, paidPost, payable, wholePost } from './posts.fixture.ts'
import { publicationKey } from './publication.ts'
import { publishScheduledPost } from './publish-scheduled-post.job.ts'

const params = (postId: string) => ({ params: { postId } })
const inSeconds = (world: World, seconds: number) =>
  new Date(world.services.clock.now().getTime() + seconds * 1000).toISOString()

async function authorIn(t: TestContext) {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  return { world, author, publisher: author.publisher }
}

const schedule = (publisher: Person, postId: string, publishAt: string) =>
  publisher.calls(publishPost, { ...params(postId), body: { publishAt } })

async function scheduled(world: World, { publisher }: Creator, input: object = wholePost, seconds = 600) {
  const { id } = await draft(publisher, input)
  const { status, body } = await schedule(publisher, id, inSeconds(world, seconds))
  equal(status, 200, JSON.stringify(body))
  return body
}

const statusOf = async (publisher: Person, postId: string) => {
  const { body } = await publisher.calls(getPost, params(postId))
  return [body.status, body.scheduledFor]
}

const later = async (world: World, seconds = 600) => {
  await world.advance(seconds)
  await world.runJobs()
}

const hasJob = async ({ services }: World, postId: string) =>
  (await services.pool.query('SELECT FROM jobs WHERE key = $1', [publicationKey(postId)])).rows.length === 1

/** The author's notifications about problems. */
const noticesOf = async ({ owner }: Creator) => {
  const { body } = await owner.calls(listNotifications, { query: {} })
  return body.notifications.filter(({ kind }: { kind: string }) => kind === 'account_issue')
}

test('a post is published at its time, not before, as it is then, and its followers hear of it once', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const follower = await world.reader()
  await follower.owner.calls(updateFollow, { params: { creatorId: author.accountId }, body: { following: true } })
  const { id } = await draft(publisher)
  const publishAt = inSeconds(world, 600)
  const { body: waiting } = await schedule(publisher, id, publishAt)
  deepEqual([waiting.status, waiting.scheduledFor, waiting.publishedAt], ['draft', publishAt, null])
  equal((await publisher.calls(getPost, params(id))).body.scheduledFor, publishAt)
  const edited = await publisher.calls(updatePost, {
    ...params(id),
    headers: { 'x-post-revision': waiting.updatedAt },
    body: { title: 'On better engines' },
  })
  equal(edited.body.scheduledFor, publishAt)
  await later(world, 590)
  // A job that runs before its time, such as one of a schedule that was moved meanwhile, leaves the post alone.
  await publishScheduledPost.run(world.services, { postId: id, emailSubscribers: true })
  equal((await world.stranger().calls(getPublicPost, params(id))).status, 404)
  await later(world, 11)
  const { body: published } = await publisher.calls(getPost, params(id))
  deepEqual([published.status, published.scheduledFor], ['published', null])
  ok(published.publishedAt > publishAt)
  equal((await world.stranger().calls(getPublicPost, params(id))).body.title, 'On better engines')
  deepEqual(await receivedBy(world, follower.accountId), ['in-app new_post'])
  // Whatever makes the job run again, it finds nothing to do.
  await publishScheduledPost.run(world.services, { postId: id, emailSubscribers: true })
  await world.runJobs()
  equal((await publisher.calls(getPost, params(id))).body.updatedAt, published.updatedAt)
  deepEqual(await receivedBy(world, follower.accountId), ['in-app new_post'])
  deepEqual(await noticesOf(author), [])
})

test('a time that is now or past publishes at once, and so does no time', async (t) => {
  const { world, publisher } = await authorIn(t)
  for (const body of [{ publishAt: inSeconds(world, 0) }, { publishAt: '2020-01-01T00:00:00+02:00' }, {}, undefined]) {
    const { id } = await draft(publisher)
    const { status, body: post } = await publisher.calls(publishPost, { ...params(id), ...(body && { body }) })
    deepEqual([status, post.status, post.scheduledFor], [200, 'published', null])
    // Its real time, not the one that was asked for.
    ok(Math.abs(Date.parse(post.publishedAt) - world.services.clock.now().getTime()) < 60_000)
  }
})

test('a new time replaces the old one, and publishing now ends the schedule', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const { id } = await scheduled(world, author)
  const { body: moved } = await schedule(publisher, id, inSeconds(world, 1200))
  await later(world, 700)
  deepEqual(await statusOf(publisher, id), ['draft', moved.scheduledFor])
  await later(world, 510)
  deepEqual(await statusOf(publisher, id), ['published', null])

  const early = await scheduled(world, author)
  const { body: sooner } = await schedule(publisher, early.id, inSeconds(world, 60))
  ok(sooner.scheduledFor < early.scheduledFor)
  await later(world, 61)
  deepEqual(await statusOf(publisher, early.id), ['published', null])

  const impatient = await scheduled(world, author)
  equal(await hasJob(world, impatient.id), true)
  equal((await publisher.calls(publishPost, params(impatient.id))).body.scheduledFor, null)
  equal(await hasJob(world, impatient.id), false)
  await publisher.calls(withdrawPost, params(impatient.id))
  await later(world)
  // The old schedule does not publish it again.
  deepEqual(await statusOf(publisher, impatient.id), ['withdrawn', null])
  deepEqual(await noticesOf(author), [])
})

test('a cancelled schedule publishes nothing; cancelling again changes nothing', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const post = await scheduled(world, author)
  const stale = { 'x-post-revision': '2020-01-01T00:00:00.000000Z' }
  const conflict = await publisher.calls(unschedulePost, { ...params(post.id), headers: stale })
  deepEqual([conflict.status, conflict.body.code], [409, 'revision-conflict'])
  const headers = { 'x-post-revision': post.updatedAt }
  const { status, body: cancelled } = await publisher.calls(unschedulePost, { ...params(post.id), headers })
  deepEqual([status, cancelled.status, cancelled.scheduledFor], [200, 'draft', null])
  ok(cancelled.updatedAt > post.updatedAt)
  deepEqual((await publisher.calls(unschedulePost, params(post.id))).body, cancelled)
  equal(await hasJob(world, post.id), false)
  await later(world)
  deepEqual(await statusOf(publisher, post.id), ['draft', null])
  deepEqual(await noticesOf(author), [])
})

test('a published post cannot be scheduled, and its schedule can no longer be cancelled', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const { id } = await scheduled(world, author)
  await later(world)
  const again = await schedule(publisher, id, inSeconds(world, 600))
  deepEqual([again.status, again.body.code], [409, 'post-state'])
  const late = await publisher.calls(unschedulePost, params(id))
  deepEqual([late.status, late.body.code], [409, 'post-state'])
})

test('an unpublished post can be scheduled too; it keeps the date of its first publication', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const { id } = await draft(publisher)
  const { publishedAt } = (await publisher.calls(publishPost, params(id))).body
  await publisher.calls(withdrawPost, params(id))
  equal((await schedule(publisher, id, inSeconds(world, 600))).body.status, 'withdrawn')
  await later(world)
  const { body } = await publisher.calls(getPost, params(id))
  deepEqual([body.status, body.publishedAt], ['published', publishedAt])
  deepEqual(await noticesOf(author), [])
})

test('a time that is malformed or too far ahead is refused, and so are unknown fields', async (t) => {
  const { world, publisher } = await authorIn(t)
  const { id, updatedAt } = await draft(publisher)
  const tooFar = inSeconds(world, maxScheduleDays * 86_400 + 60)
  for (const [publishAt, code] of [
    ['tomorrow', undefined],
    ['2027-02-30T10:00:00Z', undefined],
    ['2027-01-01', undefined],
    [1_900_000_000, undefined],
    [null, undefined],
    [tooFar, 'out_of_range'],
    ['9999-12-31T23:59:59Z', 'out_of_range'],
  ] as const) {
    const { status, body } = await publisher.sends(publishPost, { ...params(id), body: { publishAt } })
    deepEqual([status, body.code, body.errors[0].field], [422, 'validation', 'publishAt'], String(publishAt))
    if (code) equal(body.errors[0].code, code)
  }
  equal((await publisher.sends(publishPost, { ...params(id), body: { when: tooFar } })).status, 422)
  equal((await schedule(publisher, id, inSeconds(world, maxScheduleDays * 86_400 - 60))).status, 200)
  const { body } = await publisher.calls(unschedulePost, params(id))
  ok(body.updatedAt > updatedAt)
})

test('only its author can schedule a post or cancel that, with a publishing key or a signed-in browser', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const post = await scheduled(world, author)
  const other = await payable(await world.creator())
  for (const reply of [
    await schedule(other.publisher, post.id, inSeconds(world, 60)),
    await other.publisher.calls(unschedulePost, params(post.id)),
  ])
    deepEqual([reply.status, reply.body.code], [404, 'post-not-found'])
  equal((await author.owner.calls(unschedulePost, params(post.id))).status, 401)
  const cookie = sessionCookie(world.origin, author.pair).split(';')[0]!
  const response = await world.server.inject({
    method: 'DELETE',
    url: `/api/v1/posts/${post.id}/schedule`,
    headers: { cookie, origin: world.origin },
  })
  equal(response.statusCode, 200)
  deepEqual(await statusOf(publisher, post.id), ['draft', null])
})

test('everything that publishing needs is checked when it is scheduled', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const at = inSeconds(world, 600)
  const refusal = async (postId: string, from = publisher) => {
    const { status, body } = await schedule(from, postId, at)
    return [status, body.code, body.errors?.[0]?.field]
  }
  const { id } = await draft(publisher, { ...wholePost, category: null })
  deepEqual(await refusal(id), [422, 'publication-blocked', 'category'])
  const poor = await world.creator()
  const unpaid = await draft(poor.publisher)
  deepEqual(await refusal(unpaid.id, poor.publisher), [422, 'publication-blocked', 'receivingAddress'])
  const nameless = await world.creator({ handle: `user_${author.handle.slice(-4)}ab` })
  const anonymous = await draft(nameless.publisher)
  deepEqual((await refusal(anonymous.id, nameless.publisher)).slice(0, 2), [422, 'profile-incomplete'])
  const packed = await draft(publisher, paidPost)
  await reserve(publisher, packed.id, smallZip())
  deepEqual((await refusal(packed.id)).slice(0, 2), [409, 'attachments-unresolved'])
  const stale = await publisher.calls(publishPost, {
    ...params(id),
    headers: { 'x-post-revision': '2020-01-01T00:00:00.000000Z' },
    body: { publishAt: at },
  })
  deepEqual([stale.status, stale.body.code], [409, 'revision-conflict'])
  deepEqual(await statusOf(publisher, id), ['draft', null])
})

test('if something prevents it at its time, the author hears why and nothing is published', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const incomplete = await scheduled(world, author, { ...wholePost, title: 'Half of it' })
  await publisher.calls(updatePost, {
    ...params(incomplete.id),
    headers: { 'x-post-revision': incomplete.updatedAt },
    body: { category: null, language: null },
  })
  await later(world)
  deepEqual(await statusOf(publisher, incomplete.id), ['draft', null])
  const [notice] = await noticesOf(author)
  deepEqual([notice.kind, notice.post_id, notice.actor], ['account_issue', incomplete.id, null])
  equal(notice.title, '“Half of it” was not published')
  match(notice.body, /^It was scheduled for \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Choose a category\. Choose a language\.$/)
  equal(notice.url, `/studio/posts/${incomplete.id}`)
  equal((await world.mailTo(author.email))[0]?.subject, '“Half of it” was not published')

  const packed = await scheduled(world, author, paidPost)
  await reserve(publisher, packed.id, smallZip())
  await later(world)
  deepEqual(await statusOf(publisher, packed.id), ['draft', null])
  match((await noticesOf(author))[0].body, /ZIP file/)

  const unpaid = await scheduled(world, author, paidPost)
  equal((await author.owner.calls(clearPayoutAddress, {})).status, 200)
  await later(world)
  deepEqual(await statusOf(publisher, unpaid.id), ['draft', null])
  match((await noticesOf(author))[0].body, /receiving address|payout address/i)
  equal((await noticesOf(author)).length, 3)
})

test('a suspended author, a post that an administrator withdrew: nothing is published', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const admin = await world.reader()
  await world.stranger().calls(makeAdmin, { body: { profileId: admin.accountId } })
  const { id } = await draft(publisher)
  await publisher.calls(publishPost, params(id))
  await publisher.calls(withdrawPost, params(id))
  await schedule(publisher, id, inSeconds(world, 600))
  equal((await admin.owner.calls(barPost, { ...params(id), body: {} })).status, 200)
  await later(world)
  deepEqual(await statusOf(publisher, id), ['withdrawn', null])
  match((await noticesOf(author))[0].body, /An administrator has withdrawn this post\.$/)

  const post = await scheduled(world, author)
  const body = { note: 'Spam' }
  await admin.owner.calls(suspendAccount, { params: { accountId: author.accountId }, body })
  await later(world)
  equal((await world.stranger().calls(getPublicPost, params(post.id))).status, 404)
  deepEqual(await receivedBy(world, author.accountId), [
    'email account_issue',
    'email account_issue',
    'in-app account_issue',
    'in-app account_issue',
  ])
})

test('a key that is revoked or a draft that is deleted meanwhile is no problem', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const deleted = await scheduled(world, author)
  const headers = { 'x-post-revision': deleted.updatedAt }
  equal((await publisher.calls(deletePost, { ...params(deleted.id), headers })).status, 200)
  const kept = await scheduled(world, author)
  equal((await author.owner.calls(revokeKey, { params: { keyId: author.keyId } })).status, 200)
  await later(world)
  equal((await world.stranger().calls(getPublicPost, params(kept.id))).status, 200)
  deepEqual(await noticesOf(author), [])
})

test('two processes that run the job at the same moment publish once', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const follower = await world.reader()
  await follower.owner.calls(updateFollow, { params: { creatorId: author.accountId }, body: { following: true } })
  const { id } = await scheduled(world, author)
  await world.advance(601)
  const run = () => publishScheduledPost.run(world.services, { postId: id, emailSubscribers: true })
  await Promise.all([run(), run(), run()])
  await world.runJobs()
  equal((await statusOf(publisher, id))[0], 'published')
  deepEqual(await receivedBy(world, follower.accountId), ['in-app new_post'])
})

test('a job that fails every time ends with a notification', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const { id } = await scheduled(world, author)
  await world.advance(601)
  const broken = { ...world.services, db: failingDatabase(world.services.db) }
  await rejects(publishScheduledPost.run(broken, { postId: id, emailSubscribers: true }), /killed/)
  equal((await statusOf(publisher, id))[0], 'draft')
  await publishScheduledPost.onLastFailure!(world.services, { postId: id, emailSubscribers: true })
  deepEqual(await statusOf(publisher, id), ['draft', null])
  match((await noticesOf(author))[0].body, /Something went wrong on our side\./)
  await world.runJobs()
})

test('the list of scheduled posts starts with the next one', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const far = await scheduled(world, author, wholePost, 1200)
  const near = await scheduled(world, author, wholePost, 600)
  const furthest = await scheduled(world, author, wholePost, 1800)
  await draft(publisher)
  const idsOf = async (status: 'scheduled' | 'draft') => {
    const { body } = await publisher.calls(listPosts, { query: { status } })
    return [body.total, body.data.map((post: { id: string }) => post.id)]
  }
  deepEqual(await idsOf('scheduled'), [3, [near.id, far.id, furthest.id]])
  equal((await idsOf('draft'))[0], 4)
  await later(world)
  deepEqual(await idsOf('scheduled'), [2, [far.id, furthest.id]])
})
