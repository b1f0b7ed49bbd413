import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { getMailing } from '@pennypost/contract/mailings'
import { listNotifications } from '@pennypost/contract/notifications'
import { publishPost } from '@pennypost/contract/publishing'
import { confirmSubscription, importSubscribers, reportBounce, subscribe } from '@pennypost/contract/subscribers'
import { draft, publish } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import { emptiedWorld, type World } from '../test/world.ts'
import { returnPath, subscriptionUrl } from './subscription-token.ts'
import {
  asks,
  authorWith,
  confirmationLink,
  imports,
  subscribersOf,
  worldWithMailbox,
} from './subscriptions.fixture.ts'

const target = 'target@example.org'
const nobody = { imported: 0, alreadySubscribed: 0, unsubscribed: 0, invalid: 0 }

const unsubscribes = async (world: World, email: string) => {
  const { rows } = await world.services.pool.query('SELECT id FROM subscribers WHERE email = $1', [email])
  const url = subscriptionUrl('', world.services.secrets, 'unsubscribe', rows[0].id)
  equal((await world.server.inject({ method: 'POST', url })).statusCode, 200)
}

const publishes = async ({ publisher }: Creator, body = {}) => {
  const { id: postId } = await draft(publisher)
  const reply = await publisher.calls(publishPost, { params: { postId }, body })
  equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

test('an author emails five posts in 24 hours; further ones are published without, and the reply says so', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const author = await authorWith(world)
  equal((await publishes(author)).emailSubscribers, 'none')
  // By themselves, so that nothing but the author's limit counts.
  const reader = await world.reader()
  await reader.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  const emailsTo = (email: string) => recipients().filter((to) => to === email).length
  const emailed: string[] = []
  for (let count = 0; count < 7; count += 1) {
    const { status, emailSubscribers } = await publishes(author)
    equal(status, 'published')
    emailed.push(emailSubscribers)
  }
  deepEqual(emailed, [...Array(5).fill('started'), 'limit_reached', 'limit_reached'])
  equal((await publishes(author, { emailSubscribers: false })).emailSubscribers, 'none')
  await world.runJobs()
  equal(emailsTo(reader.email), 5)
  // A post that was scheduled has no reply to say it in.
  const publishAt = new Date(world.services.clock.now().getTime() + 600_000).toISOString()
  equal((await publishes(author, { publishAt })).emailSubscribers, 'none')
  await world.advance(601)
  await world.runJobs()
  equal(emailsTo(reader.email), 5)
  const { notifications } = (await author.owner.calls(listNotifications, {})).body
  match(notifications[0].title, /was published, but not emailed/)
  // Without subscribers nobody misses an email.
  await unsubscribes(world, reader.email)
  equal((await publishes(author)).emailSubscribers, 'none')
  const other = await world.reader()
  await other.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  equal((await publishes(author)).emailSubscribers, 'limit_reached')
  await world.advance(24 * 3600)
  equal((await publishes(author)).emailSubscribers, 'started')
  await world.runJobs()
  deepEqual([reader.email, other.email].map(emailsTo), [5, 1])
})

test('a mailbox that others imported gets five emails a day, of all authors together; a subscriber gets all', async (t) => {
  const { world, recipients } = await worldWithMailbox(t)
  const authors: Creator[] = []
  for (let count = 0; count < 4; count += 1)
    authors.push(await authorWith(world, [`target+${count}@example.org`, `list${count}@example.org`]))
  const reader = await world.reader()
  for (const { handle } of authors) await reader.owner.calls(subscribe, { params: { handle }, body: {} })
  const before = recipients().length
  for (const author of authors) for (let count = 0; count < 2; count += 1) await publish(author)
  await world.runJobs()
  const emailsTo = (start: string) =>
    recipients()
      .slice(before)
      .filter((to) => to.startsWith(start)).length
  // The list's readers get two each, and who subscribed gets all eight.
  deepEqual([emailsTo('target'), emailsTo('list'), emailsTo(reader.email)], [5, 8, 8])
  const { rows } = await world.services.pool.query(
    'SELECT sum(skipped)::int AS skipped, sum(sent)::int AS sent, count(*)::int AS done FROM post_mailings WHERE state = $1',
    ['done'],
  )
  deepEqual(rows[0], { skipped: 3, sent: recipients().length - before, done: 8 })
  const { rows: last } = await world.services.pool.query('SELECT post_id FROM post_mailings WHERE skipped = 1 LIMIT 1')
  const params = { postId: last[0].post_id as string }
  const replies = await Promise.all(authors.map(({ owner }) => owner.calls(getMailing, { params })))
  const { mailing } = replies.find(({ status }) => status === 200)!.body
  deepEqual([mailing.recipients, mailing.sent, mailing.failed, mailing.skipped], [3, 2, 0, 1])
  await world.advance(24 * 3600)
  await publish(authors[3]!)
  await world.runJobs()
  equal(emailsTo('target'), 6)
})

test('the addresses of one mailbox are one subscriber of an imported list', async (t) => {
  const world = await emptiedWorld(t)
  const author = await authorWith(world)
  const variants = [1, 2, 3].map((count) => `Target+${count}@example.org`)
  deepEqual(await imports(author, [target, ...variants]), { ...nobody, imported: 1 })
  deepEqual(await imports(author, variants), { ...nobody, alreadySubscribed: 1 })
  deepEqual(await subscribersOf(author), [target])
})

test('who unsubscribes from an imported list is imported by nobody again, but can subscribe', async (t) => {
  const world = await emptiedWorld(t)
  const [author, other] = [await authorWith(world, [target]), await authorWith(world)]
  await unsubscribes(world, target)
  for (const person of [author, other])
    for (const email of [target, 'target+77@example.org'])
      deepEqual(await imports(person, [email]), { ...nobody, unsubscribed: 1 })
  await asks(world, other, target)
  const link = await confirmationLink(world, target)
  await world.stranger().calls(confirmSubscription, { query: { token: link.split('token=')[1]! } })
  deepEqual(await subscribersOf(other), [target])
  deepEqual(await imports(other, [target]), { ...nobody, alreadySubscribed: 1 })
  deepEqual(await imports(author, [target]), { ...nobody, unsubscribed: 1 })
})

test('who subscribed and unsubscribed is not imported by that author, with anything after a plus sign', async (t) => {
  const world = await emptiedWorld(t)
  const [author, other] = [await authorWith(world), await authorWith(world)]
  await asks(world, author, target)
  const link = await confirmationLink(world, target)
  await world.stranger().calls(confirmSubscription, { query: { token: link.split('token=')[1]! } })
  await unsubscribes(world, target)
  equal((await imports(author, ['target+77@example.org'])).unsubscribed, 1)
  equal((await imports(other, [target])).imported, 1)
})

test('a complaint counts as unsubscribing', async (t) => {
  const world = await emptiedWorld(t)
  const [author, other] = [await authorWith(world, [target]), await authorWith(world)]
  const { rows } = await world.services.pool.query('SELECT id FROM subscribers WHERE email = $1', [target])
  const path = returnPath('bounces@pennypost.example', world.services.secrets, rows[0].id)
  const report = ['Feedback-Type: abuse', 'Version: 1', `Original-Mail-From: <${path}>`].join('\r\n')
  const body = new Uint8Array(Buffer.from(report))
  const reply = await world.stranger().calls(reportBounce, { body, contentLength: body.length })
  equal(reply.body.status, 'ended')
  deepEqual(await subscribersOf(author), [])
  equal((await imports(other, [target])).unsubscribed, 1)
})

test('a new account imports few addresses a day; the refusal says when it may import more', async (t) => {
  const world = await emptiedWorld(t)
  const author = await authorWith(world)
  const list = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index}@example.org`)
  await imports(author, list('first', 150))
  const body = { emails: list('second', 51), consent: true as const, consentSource: 'a list' }
  const refused = await author.owner.calls(importSubscribers, { body })
  deepEqual([refused.status, refused.body.code], [409, 'import-quota'])
  match(refused.body.detail, /import 50 more addresses.*200 a day; from \d+ \w+ \d{4} on, 20000\./)
  await imports(author, list('second', 50))
  // A week later.
  const { pool } = world.services
  for (const table of ['accounts', 'subscriber_imports'])
    await pool.query(`UPDATE ${table} SET created_at = created_at - interval '7 days'`)
  equal((await imports(author, list('third', 500))).imported, 500)
})
