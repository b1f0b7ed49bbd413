import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { suspendAccount } from '@pennypost/contract/admin-accounts'
import { addComment } from '@pennypost/contract/comments'
import { continueWithEmail, verifyContinuation } from '@pennypost/contract/continuations'
import { issueKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { createPost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import { startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import { logIn } from '@pennypost/contract/sessions'
import { administrator, discussionIn } from '../discussion/discussion.fixture.ts'
import { payable, wholePost } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'
import { tampered } from '../test/tampered.ts'
import { sharedWorld, type World } from '../test/world.ts'

let mailboxes = 0

function newMailbox(): string {
  mailboxes += 1
  return `newcomer${mailboxes}@example.com`
}

const continues = (person: Person, email: string, more: object = {}) =>
  person.sends(continueWithEmail, { body: { email, acceptedTerms: true, ...more } })

const verify = (person: Person, continuationId: string, code: string) =>
  person.calls(verifyContinuation, { params: { continuationId }, body: { code } })

async function sent(world: World, email: string) {
  await world.runJobs()
  const [mail] = await world.mailTo(email)
  const url = new URL(/http\S+/.exec(mail!.text)![0])
  return { code: mail!.code!, subject: mail!.subject, url, link: new URLSearchParams(url.hash.slice(1)) }
}

/** Asks for a code, a minute after the last one. */
async function asks(world: World, email: string, person = world.stranger()) {
  await world.advance(61)
  const { status, body } = await continues(person, email)
  equal(status, 202)
  return { ...(await sent(world, email)), continuationId: body.continuationId as string }
}

/** Signs up and returns the owner of the new account. */
async function newcomer(world: World): Promise<Person> {
  const [person, email] = [world.stranger(), newMailbox()]
  const { continuationId, code } = await asks(world, email)
  person.token = (await verify(person, continuationId, code)).body.accessToken
  return person
}

const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000')

test('an unknown address gets an account with a provisional name and handle', async (t) => {
  const world = await sharedWorld(t)
  const [person, email] = [world.stranger(), newMailbox()]
  const started = await continues(person, email.toUpperCase())
  equal(started.status, 202)
  deepEqual(Object.keys(started.body).sort(), ['continuationId', 'expiresAt', 'message'])
  equal(Date.parse(started.body.expiresAt) - world.services.clock.now().getTime() > 590_000, true)
  const { code, subject } = await sent(world, email)
  match(subject, new RegExp(code))
  const verified = await verify(person, started.body.continuationId, code)
  equal(verified.status, 200)
  deepEqual([verified.body.isNewAccount, verified.body.tokenType], [true, 'Bearer'])
  match(verified.headers.get('cache-control')!, /no-store/)
  person.token = verified.body.accessToken
  const me = (await person.calls(getMe, {})).body
  deepEqual([me.id, me.email, me.emailVerified], [verified.body.session.user.id, email, true])
  equal(me.profile.name, 'New User')
  match(me.profile.handle, /^user_[a-z0-9]{6}$/)
  deepEqual(
    me.publication.blockers.map(({ code, field }: { code: string; field: string }) => [code, field]).slice(0, 2),
    [
      ['profile-incomplete', 'name'],
      ['profile-incomplete', 'handle'],
    ],
  )
})

test('a known address signs in to its account', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const { continuationId, code } = await asks(world, reader.email)
  const { status, body } = await verify(world.stranger(), continuationId, code)
  deepEqual([status, body.isNewAccount, body.session.user.id], [200, false, reader.accountId])
})

test('reply, number of emails and cooldown are the same for known and unknown addresses', async (t) => {
  const world = await sharedWorld(t)
  const known = (await world.reader()).email
  const unknown = newMailbox()
  await world.advance(61)
  const someone = world.stranger()
  const replies = [await continues(someone, known), await continues(someone, unknown)]
  const [first, second] = replies.map(({ status, body, headers }) => ({
    status,
    body: { ...body, continuationId: '', expiresAt: '' },
    headers: [...headers.keys()],
  }))
  deepEqual(first, second)
  await world.runJobs()
  for (const email of [known, unknown]) {
    equal((await world.mailTo(email)).length, 1)
    const refused = await continues(someone, email)
    deepEqual([refused.status, refused.body.code], [429, 'mail-cooldown'])
    ok(Number(refused.headers.get('retry-after')) > 0)
    // Emails of all kinds are counted together.
    equal((await someone.calls(logIn, { body: { email } })).status, 429)
  }
})

test('the terms must be accepted, and unknown fields are refused', async (t) => {
  const world = await sharedWorld(t)
  const cases: [object, string][] = [
    [{ acceptedTerms: false }, 'acceptedTerms'],
    [{ acceptedTerms: undefined }, 'acceptedTerms'],
    [{ email: 'nobody' }, 'email'],
    [{ name: 'Ada' }, 'name'],
  ]
  for (const [change, field] of cases) {
    const { status, body } = await continues(world.stranger(), newMailbox(), change)
    deepEqual([status, body.errors[0].field], [422, field])
  }
})

test('a code works once, for ten minutes, and only the newest one', async (t) => {
  const world = await sharedWorld(t)
  const [person, email] = [world.stranger(), newMailbox()]
  const first = await asks(world, email)
  const second = await asks(world, email)
  if (first.code !== second.code) equal((await verify(person, second.continuationId, first.code)).status, 401)
  equal((await verify(person, second.continuationId, second.code)).status, 200)
  const again = await verify(person, second.continuationId, second.code)
  deepEqual([again.status, again.body.code], [401, 'invalid-verification'])
  const third = await asks(world, email)
  equal((await verify(person, second.continuationId, third.code)).status, 401, 'a used sign-in stays used')
  await world.advance(600)
  const late = await verify(person, third.continuationId, third.code)
  deepEqual([late.status, late.body.code], [410, 'continuation-expired'])
  const unknown = await verify(person, randomUUID(), '123456')
  deepEqual([unknown.status, unknown.body.code], [404, 'continuation-not-found'])
})

test('of parallel verifications with one code, one creates the account', async (t) => {
  const world = await sharedWorld(t)
  const email = newMailbox()
  const { continuationId, code } = await asks(world, email)
  const replies = await Promise.all(Array.from({ length: 8 }, () => verify(world.stranger(), continuationId, code)))
  deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)])
  const { rows } = await world.services.pool.query('SELECT FROM accounts WHERE email = $1', [email])
  equal(rows.length, 1)
})

test('a registration that is confirmed at the same time leads to the same account', async (t) => {
  const world = await sharedWorld(t)
  const [email, registrationId, handle] = [newMailbox(), randomUUID(), `both_${mailboxes}`]
  await world.advance(61)
  const body = { email, name: 'Ada', handle, acceptedTerms: true as const }
  await world.stranger().calls(startRegistration, { idempotencyKey: registrationId, body })
  await world.runJobs()
  const registrationCode = (await world.mailTo(email))[0]!.code!
  const { continuationId, code } = await asks(world, email)
  const [registered, continued] = await Promise.all([
    world.stranger().calls(verifyRegistration, { params: { registrationId }, body: { code: registrationCode } }),
    verify(world.stranger(), continuationId, code),
  ])
  deepEqual([registered.status, continued.status], [200, 200])
  const { rows } = await world.services.pool.query('SELECT id FROM accounts WHERE email = $1', [email])
  deepEqual(rows, [{ id: continued.body.session.user.id }])
})

test('the link in the email signs in after strangers used up all tries, and opening it changes nothing', async (t) => {
  const world = await sharedWorld(t)
  const email = newMailbox()
  // A stranger asks for codes and guesses.
  for (let sends = 0; sends < 2; sends += 1) {
    const { continuationId, code } = await asks(world, email)
    for (let tries = 0; tries < 5; tries += 1)
      equal((await verify(world.stranger(), continuationId, wrongCode(code))).status, 401)
  }
  const { continuationId, code, url, link } = await asks(world, email)
  const refused = await verify(world.stranger(), continuationId, code)
  deepEqual([refused.status, refused.body.code], [429, 'too-many-tries'])
  deepEqual([url.pathname, url.search, link.get('continuation')], ['/sign-in', '', continuationId])
  // The token is in the fragment, which no request contains: a scanner that opens the link signs nobody in.
  equal((await world.server.inject({ url: url.pathname })).statusCode, 200)
  const token = link.get('token')!
  const forged = tampered(token)
  equal((await verify(world.stranger(), continuationId, forged)).status, 401)
  const reply = await verify(world.stranger(), continuationId, token)
  deepEqual([reply.status, reply.body.isNewAccount], [200, true])
  equal((await verify(world.stranger(), continuationId, token)).status, 401)
})

test("a stranger's wrong codes do not keep the owner's code from working", async (t) => {
  const world = await sharedWorld(t)
  const email = newMailbox()
  const theirs = await asks(world, email)
  for (let tries = 0; tries < 5; tries += 1)
    await verify(world.stranger(), theirs.continuationId, wrongCode(theirs.code))
  equal((await verify(world.stranger(), theirs.continuationId, theirs.code)).status, 401, 'five tries are all')
  const own = await asks(world, email)
  equal((await verify(world.stranger(), own.continuationId, own.code)).status, 200)
})

test("the owner can enter the newest code, even if a stranger's request caused it", async (t) => {
  const world = await sharedWorld(t)
  const email = newMailbox()
  const own = await asks(world, email)
  const theirs = await asks(world, email)
  equal((await verify(world.stranger(), own.continuationId, theirs.code)).status, 200)
})

test('a suspended account cannot sign in, and the answer does not say why', async (t) => {
  const world = await sharedWorld(t)
  const admin = await administrator(world)
  const reader = await world.reader()
  await admin.owner.calls(suspendAccount, { params: { accountId: reader.accountId }, body: { note: 'spam' } })
  const { continuationId, code } = await asks(world, reader.email)
  const { status, body } = await verify(world.stranger(), continuationId, code)
  deepEqual([status, body.code], [401, 'invalid-verification'])
})

test('publishing and commenting ask for a name and a handle; choosing them is enough', async (t) => {
  const { world, postId } = await discussionIn(t)
  const owner = await newcomer(world)
  const comment = () =>
    owner.calls(addComment, { params: { postId }, body: { content: 'First.' }, idempotencyKey: randomUUID() })
  const refused = await comment()
  deepEqual([refused.status, refused.body.data.code], [422, 'profile_incomplete'])
  deepEqual(
    refused.body.errors.map(({ field }: { field: string }) => field),
    ['name', 'handle'],
  )
  const key = (await owner.calls(issueKey, { body: {}, idempotencyKey: randomUUID() })).body.key
  const publisher = world.stranger()
  publisher.token = key
  await payable({ owner } as Parameters<typeof payable>[0])
  const draft = (await publisher.sends(createPost, { body: wholePost })).body
  const blocked = await publisher.calls(publishPost, { params: { postId: draft.id } })
  deepEqual([blocked.status, blocked.body.code], [422, 'profile-incomplete'])

  equal((await publisher.calls(updateProfile, { body: { name: 'Ada' } })).status, 200)
  deepEqual(
    (await comment()).body.errors.map(({ field }: { field: string }) => field),
    ['handle'],
  )
  equal((await publisher.calls(updateProfile, { body: { handle: `ada_${mailboxes}` } })).status, 200)
  equal((await comment()).status, 201)
  equal((await publisher.calls(publishPost, { params: { postId: draft.id } })).status, 200)
  await world.runJobs()
})

test('starting and verifying are limited by address', async (t) => {
  const world = await sharedWorld(t, { LIMITS: 'continuations=2/3600,continuation-codes=2/3600' })
  const person = world.stranger()
  const { continuationId } = (await continues(person, newMailbox())).body
  await continues(person, newMailbox())
  const third = await continues(person, newMailbox())
  deepEqual([third.status, third.body.code], [429, 'rate-limited'])
  for (const expected of [401, 401, 429]) equal((await verify(person, continuationId, '123456')).status, expected)
  await world.runJobs()
})

test('a client creates forty accounts an hour; people with an account still sign in, and the code is not used up', async (t) => {
  const world = await sharedWorld(t, { LIMITS: 'new-accounts=2/3600' })
  const classroom = world.stranger()
  const signsUp = async (email = newMailbox()) => {
    const { continuationId, code } = await asks(world, email, world.stranger())
    return { continuationId, code, reply: await verify(classroom, continuationId, code) }
  }
  const known = newMailbox()
  deepEqual([(await signsUp(known)).reply.status, (await signsUp()).reply.status], [200, 200])
  const { continuationId, code, reply } = await signsUp()
  deepEqual([reply.status, reply.body.code], [429, 'rate-limited'])
  match(reply.body.detail, /new accounts/)
  ok(Number(reply.headers.get('retry-after')) > 0)
  const again = await signsUp(known)
  deepEqual([again.reply.status, again.reply.body.isNewAccount], [200, false])
  // Wrong codes get the same reply as ever, so nobody learns whether the address has an account.
  equal((await verify(classroom, continuationId, wrongCode(code))).status, 401)
  equal((await verify(world.stranger(), continuationId, code)).body.isNewAccount, true)
})

test('addresses that differ in what follows a plus sign are one mailbox', async (t) => {
  const world = await sharedWorld(t)
  const [name, host] = newMailbox().split('@')
  const client = world.stranger()
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) statuses.push((await continues(client, `${name}+${count}@${host}`)).status)
  // One a minute to a client, and for all of them together no more than to one address.
  deepEqual(statuses, [202, 429, 429, 429])
  for (let count = 0; count < 20; count += 1)
    statuses.push((await continues(world.stranger(), `${name}+more${count}@${host}`)).status)
  deepEqual(statuses.slice(4), [...Array(17).fill(202), 429, 429, 429])
  equal((await world.stranger().calls(logIn, { body: { email: `${name}@${host}` } })).status, 429)
  await world.runJobs()
})
