import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { updateFollow, updateFollowPreferences } from '@pennypost/contract/follows'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { updatePost } from '@pennypost/contract/posts'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { subscribe } from '@pennypost/contract/subscribers'
import { receivedBy } from '../notifications/audience.fixture.ts'
import { draft, paidPost, publish, wholePost } from '../posts/posts.fixture.ts'
import type { World } from '../test/world.ts'
import { mailOnePost, mailPosts } from './mail-posts.job.ts'
import { asks, authorWith, countOf, imports, subscribersOf, worldWithMailbox } from './subscriptions.fixture.ts'

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `reader${String(index).padStart(3, '0')}@example.org`)

const mailingOf = async (world: World, postId: string) =>
  (
    await world.services.pool.query('SELECT state, sent, refused, uncertain FROM post_mailings WHERE post_id = $1', [
      postId,
    ])
  ).rows[0]

const leftOver = async (world: World): Promise<string[]> =>
  (await world.services.pool.query('SELECT state FROM post_emails')).rows.map(({ state }) => state)

test('a new post is mailed once to each subscriber, typeset, and with one-click unsubscribe', async (t) => {
  const { world, emails, recipients, received } = await worldWithMailbox(t)
  const readers = addresses(23)
  const author = await authorWith(world, readers)
  const post = await publish(author)
  await world.runJobs()
  deepEqual(recipients().toSorted(), readers)
  deepEqual(await mailingOf(world, post.id), { state: 'done', sent: 23, refused: 0, uncertain: 0 })
  deepEqual(await leftOver(world), [])

  const [email] = await emails()
  const header = (name: string) => email!.headers.find(({ key }) => key === name)?.value
  equal(email!.subject, 'On engines')
  deepEqual([email!.from!.name, email!.from!.address], ['Ada (Pennypost)', 'post@pennypost.example'])
  match(email!.messageId!, new RegExp(`^<post-${post.id}-[0-9a-f-]{36}@pennypost\\.example>$`))
  equal(header('list-id'), `<${author.handle.toLowerCase()}.pennypost.test>`)
  equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  const link = /^<(.+)>$/.exec(header('list-unsubscribe')!)![1]!
  ok(email!.html!.includes(link) && email!.text!.includes(link))
  const canonical = `${world.origin}/@${author.handle}/on-engines`
  ok(email!.html!.includes(`href="${canonical}"`) && email!.text!.includes(canonical))
  match(email!.html!, /Hello <strong>world<\/strong>/)
  match(email!.text!, /Hello world/)
  match(email!.text!, /Written by a human/)
  match(email!.text!, /Ada, who publishes at Pennypost, added your address/)
  match(email!.html!, /prefers-color-scheme:dark/)
  ok(!/<script|<img/.test(email!.html!))
  const unsubscribed = await world.server.inject({ method: 'POST', url: link.slice(world.origin.length) })
  deepEqual([unsubscribed.statusCode, await countOf(author)], [200, 22])

  // Neither an edit nor another publication mails it again, nor does a second run of the job.
  const { body: changed } = await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: 'On better engines' },
  })
  await author.publisher.calls(withdrawPost, { params: { postId: post.id } })
  await author.publisher.calls(publishPost, { params: { postId: post.id }, body: { emailSubscribers: true } })
  await mailPosts.run(world.services, { creatorId: author.accountId })
  equal(changed.id, post.id)
  await world.runJobs()
  equal(received.length, 23)
})

test('the author can publish without mailing, and who subscribes later gets later posts only', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world, ['early@example.org'])
  const { id: postId } = await draft(author.publisher)
  equal(
    (await author.publisher.sends(publishPost, { params: { postId }, body: { emailSubscribers: 'no' } })).status,
    422,
  )
  equal(
    (await author.publisher.calls(publishPost, { params: { postId }, body: { emailSubscribers: false } })).status,
    200,
  )
  await world.runJobs()
  deepEqual(recipients(), [])
  await publish(author)
  await imports(author, ['late@example.org'])
  await world.runJobs()
  deepEqual(recipients(), ['early@example.org'])
  await publish(author)
  await world.runJobs()
  deepEqual(recipients().toSorted(), ['early@example.org', 'early@example.org', 'late@example.org'])
})

test('the paid part is only in the emails of those who bought it', async (t) => {
  const { world, emails } = await worldWithMailbox(t)
  const buyer = await world.reader()
  const author = await authorWith(world, ['stranger@example.org', buyer.email])
  const { id: postId } = await draft(author.publisher, paidPost)
  const { pool, clock } = world.services
  await pool.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at) VALUES ($1, $2, 'purchase', $3)`,
    [buyer.accountId, postId, clock.now()],
  )
  await author.publisher.calls(publishPost, { params: { postId } })
  await world.runJobs()
  const byRecipient = new Map((await emails()).map((email) => [email.to![0]!.address, email]))
  const [free, whole] = [byRecipient.get('stranger@example.org')!, byRecipient.get(buyer.email)!]
  for (const part of [free.html!, free.text!]) {
    ok(!part.includes('The secret'))
    match(part, /Keep reading for 0\.25 XNO/)
  }
  for (const part of [whole.html!, whole.text!]) {
    ok(part.includes('The secret'))
    ok(!part.includes('Keep reading'))
  }
})

test('a follower whose address is subscribed gets one email about a post, the post itself', async (t) => {
  const { world, recipients, emails } = await worldWithMailbox(t)
  const author = await authorWith(world)
  const [subscribed, follower] = [await world.reader(), await world.reader()]
  for (const { owner } of [subscribed, follower]) {
    const params = { creatorId: author.accountId }
    const { body } = await owner.calls(updateFollow, { params, body: { following: true } })
    await owner.calls(updateFollowPreferences, {
      params: { followId: body.follow.id },
      body: { notify_channel_email: true },
    })
    await owner.calls(updateNotificationPreferences, { body: { notify_new_post: true } })
  }
  await subscribed.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  await publish(author)
  await world.runJobs()
  deepEqual(recipients().toSorted(), [subscribed.email, follower.email].toSorted())
  const subjects = new Map((await emails()).map((email) => [email.to![0]!.address, email.subject]))
  deepEqual(
    [subjects.get(subscribed.email), subjects.get(follower.email)],
    ['On engines', 'Ada published “On engines”'],
  )
  // Both see it on the site.
  ok((await receivedBy(world, subscribed.accountId)).includes('in-app new_post'))
  // Without a mailing, both are notified.
  const { id: postId } = await draft(author.publisher)
  await author.publisher.calls(publishPost, { params: { postId }, body: { emailSubscribers: false } })
  await world.runJobs()
  equal(recipients().filter((email) => email === subscribed.email).length, 2)
})

test('an unpublished post, or one of a suspended author, is not mailed on, nor when it is published again', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world, addresses(3))
  const params = { postId: (await publish(author)).id }
  await author.publisher.calls(withdrawPost, { params })
  await world.runJobs()
  equal((await mailingOf(world, params.postId)).state, 'stopped')
  await author.publisher.calls(publishPost, { params })
  await world.runJobs()
  const { id: other } = await publish(author)
  await world.services.pool.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [author.accountId])
  await world.runJobs()
  equal((await mailingOf(world, other)).state, 'stopped')
  deepEqual(recipients(), [])
})

test('unpublishing in the middle stops a mailing', async (t) => {
  const { world, recipients } = await worldWithMailbox(t, { onReceived: () => stop?.() })
  let stop: (() => Promise<unknown>) | undefined
  const author = await authorWith(world, addresses(35))
  const { id: postId } = await publish(author)
  stop = async () => {
    stop = undefined
    await author.publisher.calls(withdrawPost, { params: { postId } })
  }
  await world.runJobs()
  // What was being sent is finished.
  ok(recipients().length >= 1 && recipients().length <= 10, String(recipients().length))
  const { state, sent } = await mailingOf(world, postId)
  deepEqual([state, sent], ['stopped', recipients().length])
})

test('an address that does not exist ends its subscription; one that is put off is tried again', async (t) => {
  let isBusy = true
  const refusals: Record<string, () => string | undefined> = {
    'gone@example.org': () => '550 5.1.1 no such user',
    'policy@example.org': () => '550 5.7.1 we do not like you',
    'busy@example.org': () => (isBusy ? '451 4.7.1 try again later' : undefined),
    'never@example.org': () => '452 4.2.2 full',
  }
  const { world, recipients } = await worldWithMailbox(t, { refusalOf: (to) => refusals[to]?.() })
  const author = await authorWith(world, [...Object.keys(refusals), 'fine@example.org'])
  const { id: postId } = await publish(author)
  await world.runJobs()
  deepEqual(recipients(), ['fine@example.org'])
  deepEqual((await subscribersOf(author)).toSorted(), [
    'busy@example.org',
    'fine@example.org',
    'never@example.org',
    'policy@example.org',
  ])
  deepEqual((await leftOver(world)).toSorted(), ['refused', 'refused', 'waiting', 'waiting'])
  isBusy = false
  for (let hour = 0; hour < 5; hour += 1) {
    await world.advance(3 * 3600)
    await world.runJobs()
  }
  deepEqual(recipients(), ['fine@example.org', 'busy@example.org'])
  deepEqual(await mailingOf(world, postId), { state: 'done', sent: 2, refused: 3, uncertain: 0 })
})

test('if the mail server refuses almost everyone, nobody loses their subscription', async (t) => {
  const { world, recipients } = await worldWithMailbox(t, { refusalOf: () => '550 no' })
  const author = await authorWith(world, addresses(12))
  const { id: postId } = await publish(author)
  await world.runJobs()
  deepEqual([recipients(), await countOf(author)], [[], 12])
  deepEqual(await mailingOf(world, postId), { state: 'done', sent: 0, refused: 12, uncertain: 0 })
})

test('while the mail server is away nobody is lost; it goes on when the server is back', async (t) => {
  let isAway = true
  const { world, recipients } = await worldWithMailbox(t, { refusalOf: () => (isAway ? '421 closing' : undefined) })
  const author = await authorWith(world, addresses(15))
  const { id: postId } = await publish(author)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await world.runJobs()
    await world.advance(60)
  }
  deepEqual(recipients(), [])
  isAway = false
  await world.runJobs()
  deepEqual(recipients().toSorted(), addresses(15))
  deepEqual(await mailingOf(world, postId), { state: 'done', sent: 15, refused: 0, uncertain: 0 })
})

test('an email whose connection breaks after it was received is not sent again', async (t) => {
  const { world, recipients } = await worldWithMailbox(t, { breaksAfter: (to) => to === 'reader001@example.org' })
  const author = await authorWith(world, addresses(1).concat('reader001@example.org'))
  const { id: postId } = await publish(author)
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await world.runJobs()
    await world.advance(600)
  }
  equal(recipients().filter((to) => to === 'reader001@example.org').length, 1)
  equal(new Set(recipients()).size, recipients().length)
  const { state, uncertain } = await mailingOf(world, postId)
  deepEqual([state, uncertain >= 1], ['done', true])
})

test('a process that dies while it sends mails nobody twice; the next one goes on after what it had begun', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world, addresses(25))
  const { id: postId } = await publish(author)
  const { services } = world
  // It dies with its first batch sent and nothing stored of that.
  const dying = {
    ...services,
    db: new Proxy(services.db, {
      get(target, name) {
        if (name === 'transaction' && recipients().length > 0) throw new Error('killed')
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }
  await rejects(mailPosts.run(dying, { creatorId: author.accountId }), /killed/)
  const first = recipients().length
  equal(first, 10)
  deepEqual(await leftOver(world), Array(10).fill('sending'))
  await world.runJobs()
  equal(recipients().length, 25)
  equal(new Set(recipients()).size, 25)
  deepEqual(await mailingOf(world, postId), { state: 'done', sent: 15, refused: 0, uncertain: 10 })
})

test('authors take turns, however many posts each of them has waiting', async (t) => {
  const { world, recipients, emails } = await worldWithMailbox(t)
  const [busy, other] = [await authorWith(world, addresses(12)), await authorWith(world, ['only@example.org'])]
  for (const title of ['One', 'Two', 'Three']) await publish(busy, { ...wholePost, title })
  await publish(other)
  const waiting = async () =>
    (await world.services.pool.query(`SELECT key, queue FROM jobs WHERE queue = 'post-emails' ORDER BY run_at, id`))
      .rows
  const row = ({ accountId }: { accountId: string }) => ({ key: `mail-posts:${accountId}`, queue: 'post-emails' })
  // One job for an author: the posts of one cost the others one turn.
  deepEqual(await waiting(), [row(busy), row(other)])
  // A turn that ends immediately: its mailing goes behind the other.
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + recipients().length * 1_000)
  await mailPosts.run(world.services, { creatorId: busy.accountId })
  equal(recipients().length, 10)
  deepEqual(await waiting(), [row(other), row(busy)])
  t.mock.restoreAll()
  await world.runJobs()
  equal(recipients().length, 37)
  deepEqual([recipients()[10], new Set(recipients().slice(0, 12)).size], ['only@example.org', 11 + 1])
  // The oldest post first.
  const titles = (await emails())
    .filter(({ to }) => to![0]!.address !== 'only@example.org')
    .map(({ subject }) => subject)
  deepEqual(
    titles,
    ['One', 'Two', 'Three'].flatMap((title) => Array(12).fill(title)),
  )
})

test('a post whose emails were put off does not keep the next one of its author waiting', async (t) => {
  let isBusy = true
  const { world, recipients, emails } = await worldWithMailbox(t, {
    refusalOf: (to) => (isBusy && to === 'busy@example.org' ? '451 4.7.1 try again later' : undefined),
  })
  const author = await authorWith(world, ['busy@example.org', 'fine@example.org'])
  await publish(author, { ...wholePost, title: 'One' })
  await world.runJobs()
  await publish(author, { ...wholePost, title: 'Two' })
  await world.runJobs()
  deepEqual(recipients(), ['fine@example.org', 'fine@example.org'])
  isBusy = false
  await world.advance(301)
  await world.runJobs()
  deepEqual(recipients().slice(2), ['busy@example.org', 'busy@example.org'])
  deepEqual((await emails()).map(({ subject }) => subject).slice(2), ['One', 'Two'])
})

test('a job of the previous version, for one post, leads to a turn of its author', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world, addresses(3))
  const { id: postId } = await publish(author)
  await world.services.pool.query('DELETE FROM jobs')
  await mailOnePost.run(world.services, { postId })
  await mailOnePost.run(world.services, { postId: author.accountId })
  await world.runJobs()
  equal(recipients().length, 3)
})

test('who has not confirmed gets nothing', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world)
  await asks(world, author, 'pending@example.org')
  await publish(author, { ...wholePost, title: 'For nobody' })
  await world.runJobs()
  equal(recipients().length, 1)
  const { rows } = await world.services.pool.query('SELECT FROM post_mailings')
  equal(rows.length, 0)
})

test('a scheduled post is mailed when it is published, unless its author did not want that', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world, addresses(3))
  const publishAt = new Date(world.services.clock.now().getTime() + 600_000).toISOString()
  for (const emailSubscribers of [false, undefined]) {
    const { id: postId } = await draft(author.publisher)
    const body = { publishAt, ...(emailSubscribers !== undefined && { emailSubscribers }) }
    equal((await author.publisher.calls(publishPost, { params: { postId }, body })).status, 200)
  }
  await world.runJobs()
  deepEqual(recipients(), [])
  await world.advance(601)
  await world.runJobs()
  deepEqual(recipients().toSorted(), addresses(3))
})
