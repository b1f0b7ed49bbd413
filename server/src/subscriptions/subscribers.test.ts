import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  confirmSubscription,
  endSubscription,
  exportSubscribers,
  importSubscribers,
  listSubscribers,
  removeSubscriber,
  reportBounce,
  showSubscriptionConfirmation,
  showSubscriptionEnd,
  subscribe,
} from '@pennypost/contract/subscribers'
import type { Person } from '../test/person.ts'
import { createWorld, emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { returnPath, subscriptionUrl } from './subscription-token.ts'
import { asks, authorWith, confirmationLink, countOf, imports, subscribersOf } from './subscriptions.fixture.ts'

const address = () => `reader-${randomUUID().slice(0, 8)}@example.org`

const post = (world: World, url: string) => world.server.inject({ method: 'POST', url })
const idOf = async (world: World, email: string): Promise<string> =>
  (await world.services.pool.query('SELECT id FROM subscribers WHERE email = $1', [email])).rows[0]?.id

test('an address is subscribed once its owner confirms; opening the link changes nothing', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorWith(world)
  const email = address()
  const { status, body } = await asks(world, author, email.toUpperCase())
  deepEqual([status, body.status], [202, 'confirmation_sent'])
  const link = await confirmationLink(world, email)
  const [sent] = await world.mailTo(email)
  match(sent!.text, new RegExp(`@${author.handle} `))
  // A name is up to its owner, and this email goes to anyone.
  ok(!sent!.text.includes('Ada'))

  const shown = await world.server.inject({ method: 'GET', url: link })
  equal(shown.statusCode, 200)
  match(shown.payload, /Confirm subscription<\/button>/)
  deepEqual([await countOf(author), await subscribersOf(author)], [0, []])

  for (let again = 0; again < 2; again += 1) {
    const confirmed = await post(world, link)
    equal(confirmed.statusCode, 200)
    match(confirmed.payload, /You are subscribed/)
  }
  deepEqual([await countOf(author), await subscribersOf(author)], [1, [email]])
  match((await world.server.inject({ method: 'GET', url: link })).payload, /You are subscribed/)
})

test('nobody learns who is subscribed: the reply is the same, and who is gets no email', async (t) => {
  const world = await sharedWorld(t)
  const known = address()
  const author = await authorWith(world, [known])
  const replies = [await asks(world, author, known), await asks(world, author, address())]
  deepEqual([replies[0]!.status, replies[0]!.body], [replies[1]!.status, replies[1]!.body])
  await world.runJobs()
  deepEqual(await world.mailTo(known), [])
  equal(await countOf(author), 1)
})

test('a reader who is signed in subscribes with one click, but only with the address of the account', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorWith(world)
  const reader = await world.reader()
  const params = { handle: author.handle }
  for (const body of [{ email: reader.email }, {}]) {
    const reply = await reader.owner.calls(subscribe, { params, body })
    deepEqual([reply.status, reply.body.status], [202, 'subscribed'])
  }
  const other = address()
  const reply = await reader.owner.calls(subscribe, { params, body: { email: other } })
  deepEqual([reply.status, reply.body.status], [202, 'confirmation_sent'])
  await world.runJobs()
  deepEqual(await world.mailTo(reader.email), [])
  deepEqual(await subscribersOf(author), [reader.email])
  const own = await author.owner.calls(subscribe, { params, body: {} })
  deepEqual([own.status, own.body.code], [409, 'self-subscription'])
  equal((await world.stranger().calls(subscribe, { params, body: {} })).status, 422)
})

test('there is nothing to subscribe to at an unknown handle, or of a suspended author', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorWith(world)
  const codeOf = async (handle: string) => (await asks(world, { handle }, address())).body.code
  equal(await codeOf('nobody_here'), 'creator-not-found')
  equal(await codeOf('user_abcdef'), 'creator-not-found')
  await world.services.pool.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [author.accountId])
  equal(await codeOf(author.handle), 'creator-not-found')
})

test('an address gets few confirmation emails of one author, with pauses', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorWith(world)
  const email = address()
  const mails = async () => {
    await world.runJobs()
    return (await world.mailTo(email)).length
  }
  for (let count = 0; count < 3; count += 1) equal((await asks(world, author, email)).status, 202)
  equal(await mails(), 1)
  // One more after a pause, and three in all.
  for (const expected of [2, 3, 3]) {
    await world.advance(601)
    equal((await asks(world, author, email)).status, 202)
    equal(await mails(), expected)
  }
})

test('a mailbox gets few confirmation emails of all authors together, with anything after a plus sign', async (t) => {
  const world = await sharedWorld(t)
  const [name, host] = address().split('@')
  // From the beginning of a day, so that the hours below are in it.
  await world.advance(86_400 - (Math.floor(world.services.clock.now().getTime() / 1000) % 86_400))
  const author = await authorWith(world)
  const client = world.stranger()
  const asksFor = async (person: Person, email: string) =>
    person.calls(subscribe, { params: { handle: author.handle }, body: { email } })
  const variant = (count: number) => `${name}+${count}@${host}`
  const mails = async (count: number) => {
    await world.runJobs()
    const found = await Promise.all(Array.from({ length: count }, (_, index) => world.mailTo(variant(index))))
    return found.flat().length
  }
  // A client is refused by what it asked for itself.
  for (let count = 0; count < 10; count += 1) equal((await asksFor(client, variant(count))).status, 202)
  const refused = await asksFor(client, variant(10))
  deepEqual([refused.status, refused.body.code], [429, 'mail-cooldown'])
  ok(Number(refused.headers.get('retry-after')) > 3000)
  equal(await mails(11), 10)
  // Others get the same reply as ever. Their first requests are served, the mailbox gets no more than twenty an hour.
  for (let count = 10; count < 25; count += 1) equal((await asksFor(world.stranger(), variant(count))).status, 202)
  equal(await mails(25), 20)
  // And forty a day, from any client.
  for (let hour = 0; hour < 5; hour += 1) {
    await world.advance(3601)
    for (let count = 0; count < 15; count += 1)
      equal((await asksFor(world.stranger(), variant(100 + hour * 15 + count))).status, 202)
  }
  equal(await mails(200), 40)
  // The next day its owner is served again.
  await world.advance(24 * 3600)
  equal((await asksFor(world.stranger(), variant(300))).status, 202)
  equal(await mails(301), 41)
})

test('the reply tells nothing of what an address is subscribed to, or how many authors wait for it', async (t) => {
  const world = await sharedWorld(t)
  const [known, unknown] = [address(), address()]
  const [target, own] = [await authorWith(world, [known]), await authorWith(world)]
  const spy = world.stranger()
  const statusesFor = async (email: string) => {
    const statuses: number[] = []
    for (let count = 0; count < 25; count += 1) {
      const { handle } = count === 19 ? target : count % 2 === 0 ? own : await authorWith(world)
      statuses.push((await spy.calls(subscribe, { params: { handle }, body: { email } })).status)
      await world.advance(401)
    }
    return statuses
  }
  deepEqual(await statusesFor(known), await statusesFor(unknown))
  // Its owner is not locked out: another client is served within the hour, and who is signed in always is.
  const author = await authorWith(world)
  equal((await asks(world, author, unknown)).status, 202)
  await confirmationLink(world, unknown)
  await world.runJobs()
})

test('the form of one author cannot send emails to strangers without end', async (t) => {
  const world = await createWorld(t, { settings: { LIMITS: 'subscription-emails=2/3600' } })
  const [author, other] = [await authorWith(world), await authorWith(world)]
  const statuses: number[] = []
  for (let count = 0; count < 3; count += 1) statuses.push((await asks(world, author, address())).status)
  deepEqual([...statuses, (await asks(world, other, address())).status], [202, 202, 429, 202])
  await world.runJobs()
})

test('a confirmation link expires, and its address is deleted', async (t) => {
  const world = await emptiedWorld(t)
  const author = await authorWith(world)
  const email = address()
  await asks(world, author, email)
  const link = await confirmationLink(world, email)
  await world.advance(7 * 24 * 3600 + 1)
  const token = link.split('token=')[1]!
  const stranger = world.stranger()
  for (const endpoint of [showSubscriptionConfirmation, confirmSubscription]) {
    const { status, headers } = await stranger.calls(endpoint, { query: { token } })
    equal(status, 404)
    match(headers.get('content-type')!, /text\/html/)
  }
  const { deleteOldSubscriptions } = await import('./delete-old-subscriptions.job.ts')
  await deleteOldSubscriptions.run(world.services, {})
  equal(await idOf(world, email), undefined)
})

test('links are only good for what we signed them for', async (t) => {
  const world = await sharedWorld(t)
  const email = address()
  const author = await authorWith(world, [email])
  const id = await idOf(world, email)
  const { secrets } = world.services
  const token = (purpose: 'confirm' | 'unsubscribe') => subscriptionUrl('', secrets, purpose, id).split('token=')[1]!
  const stranger = world.stranger()
  const wrong = ['', 'x', `${id}.`, `${randomUUID()}.${token('unsubscribe').split('.')[1]}`, token('confirm')]
  for (const endpoint of [showSubscriptionEnd, endSubscription])
    for (const given of wrong) equal((await stranger.calls(endpoint, { query: { token: given } })).status, 404, given)
  equal((await stranger.calls(confirmSubscription, { query: { token: token('unsubscribe') } })).status, 404)
  equal(await countOf(author), 1)
})

test('unsubscribing takes a page with a button, or one click of a mail program, and deletes the address', async (t) => {
  const world = await sharedWorld(t)
  const [first, second] = [address(), address()]
  const author = await authorWith(world, [first, second])
  const linkOf = async (email: string) =>
    subscriptionUrl('', world.services.secrets, 'unsubscribe', await idOf(world, email))
  const link = await linkOf(first)
  const shown = await world.server.inject({ method: 'GET', url: link })
  match(shown.payload, /Unsubscribe<\/button>/)
  equal(await countOf(author), 2)
  for (let again = 0; again < 2; again += 1) {
    const reply = await post(world, link)
    deepEqual([reply.statusCode, /Unsubscribed/.test(reply.payload)], [200, true])
  }
  match((await world.server.inject({ method: 'GET', url: link })).payload, /Unsubscribed/)
  deepEqual([await countOf(author), await subscribersOf(author)], [1, [second]])
  // RFC 8058, in both form encodings.
  const oneClick = await world.server.inject({
    method: 'POST',
    url: await linkOf(second),
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    payload: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  })
  equal(oneClick.statusCode, 200)
  equal(await countOf(author), 0)
  const { rows } = await world.services.pool.query(
    `SELECT (SELECT count(*)::int FROM subscribers WHERE creator_id = $1) AS subscribers,
      (SELECT json_agg(e)::text FROM ended_subscriptions e WHERE creator_id = $1) AS ended`,
    [author.accountId],
  )
  equal(rows[0].subscribers, 0)
  ok(!rows[0].ended.includes(first) && !rows[0].ended.includes('example.org'))
  equal((await world.server.inject({ method: 'POST', url: link, payload: 'x'.repeat(20_000) })).statusCode, 413)
})

test('an imported list is subscribed with the consent stated, except who unsubscribed', async (t) => {
  const world = await sharedWorld(t)
  const [known, leaving, fresh] = [address(), address(), address()]
  const author = await authorWith(world, [known, leaving])
  await post(world, subscriptionUrl('', world.services.secrets, 'unsubscribe', await idOf(world, leaving)))
  const pending = address()
  await asks(world, author, pending)
  const result = await imports(author, [known, leaving, fresh, fresh.toUpperCase(), pending, 'nobody', 'a@b'])
  deepEqual(result, { imported: 2, alreadySubscribed: 1, unsubscribed: 1, invalid: 2 })
  deepEqual((await subscribersOf(author)).sort(), [known, fresh, pending].sort())
  equal(await countOf(author), 3)
  const { rows } = await world.services.pool.query(
    'SELECT consent_source, total, imported FROM subscriber_imports WHERE creator_id = $1 ORDER BY created_at, total DESC',
    [author.accountId],
  )
  deepEqual(rows.at(-1), { consent_source: 'my old newsletter', total: 4, imported: 2 })
  // Nothing is imported without consent.
  for (const body of [
    { emails: [address()], consentSource: 'my old newsletter' },
    { emails: [address()], consent: false, consentSource: 'my old newsletter' },
    { emails: [address()], consent: true },
    { emails: [], consent: true, consentSource: 'my old newsletter' },
    { emails: Array(5001).fill('a@example.org'), consent: true, consentSource: 'my old newsletter' },
  ])
    equal((await author.owner.sends(importSubscribers, { body })).status, 422)
  // A reader who subscribes again is subscribed, and a list may contain them again.
  await asks(world, author, leaving)
  await post(world, await confirmationLink(world, leaving))
  equal(await countOf(author), 4)
  deepEqual(await imports(author, [leaving]), { imported: 0, alreadySubscribed: 1, unsubscribed: 0, invalid: 0 })
  await world.runJobs()
})

test('an author imports a limited number of addresses a day, and needs a confirmed address', async (t) => {
  const world = await createWorld(t, { settings: { SUBSCRIBER_IMPORTS_PER_DAY: '3' } })
  const author = await authorWith(world, [address(), address()])
  const more = { emails: [address(), address()], consent: true as const, consentSource: 'a list' }
  const refused = await author.owner.calls(importSubscribers, { body: more })
  deepEqual([refused.status, refused.body.code], [409, 'import-quota'])
  match(refused.body.detail, /1 more/)
  await imports(author, [address()])
  const { pool } = world.services
  await pool.query(`UPDATE subscriber_imports SET created_at = created_at - interval '1 day'`)
  await imports(author, more.emails)
  const fresh = await world.creator()
  await pool.query('UPDATE accounts SET email = NULL, email_confirmed_at = NULL WHERE id = $1', [fresh.accountId])
  const without = await fresh.owner.calls(importSubscribers, { body: more })
  deepEqual([without.status, without.body.code], [409, 'import-needs-email'])
})

test('the list has pages that new subscribers do not shift, and a CSV file with all of it', async (t) => {
  const world = await sharedWorld(t)
  const emails = Array.from({ length: 5 }, (_, index) => `${index}-${address()}`)
  const author = await authorWith(world)
  for (const email of emails) await imports(author, [email])
  const formula = `=1+1-${address()}`
  const pageOf = async (cursor?: string) =>
    (await author.owner.calls(listSubscribers, { query: { limit: '2', ...(cursor !== undefined && { cursor }) } })).body
  const first = await pageOf()
  deepEqual([first.count, first.pagination.hasMore], [5, true])
  await imports(author, [formula])
  const second = await pageOf(first.pagination.nextCursor)
  const third = await pageOf(second.pagination.nextCursor)
  deepEqual(
    [first, second, third].flatMap(({ subscribers }) => subscribers.map(({ email }: { email: string }) => email)),
    emails.toReversed(),
  )
  deepEqual([third.pagination.hasMore, third.pagination.nextCursor], [false, null])
  equal(first.subscribers[0].source, 'import')
  equal((await author.owner.sends(listSubscribers, { query: { cursor: 'nonsense' } })).status, 400)

  const { body, headers } = await author.owner.calls(exportSubscribers, {})
  match(headers.get('content-disposition')!, /^attachment; filename="subscribers-[\d-]+\.csv"$/)
  const lines = Buffer.from(body).toString().split('\r\n')
  equal(lines[0], 'email,source,subscribed_at')
  deepEqual(
    lines.slice(1, -1).map((line) => line.split(',')[0]),
    [`'${formula}`, ...emails.toReversed()],
  )
  // Others see and remove nothing of it.
  const other = await authorWith(world)
  deepEqual([await countOf(other), await subscribersOf(other)], [0, []])
  const params = { subscriberId: first.subscribers[0].id }
  const refused = await other.owner.calls(removeSubscriber, { params })
  deepEqual([refused.status, refused.body.code], [404, 'subscriber-not-found'])
  deepEqual((await author.owner.calls(removeSubscriber, { params })).body, { id: params.subscriberId, deleted: true })
  equal((await author.owner.calls(removeSubscriber, { params })).status, 404)
  equal(await countOf(author), 5)
  // A reader who was removed did not unsubscribe.
  equal((await imports(author, [first.subscribers[0].email])).imported, 1)
})

const dsn = (to: string, status: string, action = 'failed') =>
  [
    `To: ${to}`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
    '',
    '--x',
    'Content-Type: message/delivery-status',
    '',
    `Action: ${action}`,
    `Status: ${status}`,
    '--x--',
  ].join('\r\n')

test('a message that came back for good ends the subscription, and no list brings it back', async (t) => {
  const world = await sharedWorld(t)
  const email = address()
  const author = await authorWith(world, [email])
  const { secrets } = world.services
  const path = returnPath('bounces@pennypost.example', secrets, await idOf(world, email))
  ok(path.split('@')[0]!.length <= 64)
  const report = async (message: string) => {
    const body = new Uint8Array(Buffer.from(message))
    return (await world.stranger().calls(reportBounce, { body, contentLength: body.length })).body.status
  }
  const forged = path.replace(/.@/, (last) => (last === '0@' ? '1@' : '0@'))
  notEqual(forged, path)
  for (const message of [
    dsn(path, '4.2.2'),
    dsn(path, '5.1.1', 'delayed'),
    dsn(path, '5.7.1'),
    dsn(forged, '5.1.1'),
    'hello',
  ])
    equal(await report(message), 'ignored', message)
  equal(await countOf(author), 1)
  equal(await report(dsn(path.toUpperCase(), '5.1.1')), 'ended')
  equal(await report(dsn(path, '5.1.1')), 'ignored')
  equal(await countOf(author), 0)
  equal((await imports(author, [email])).unsubscribed, 1)
})
