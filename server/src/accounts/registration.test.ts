import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { issueKey, listKeys, revokeKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { issueRegistrationKey, startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import { logIn } from '@pennypost/contract/sessions'
import type { Person } from '../test/person.ts'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'

const registrationBody = (email = 'ada@example.com', handle = 'ada_lovelace') => ({
  email,
  name: 'Ada',
  handle,
  acceptedTerms: true as const,
})

const start = (
  person: Person,
  body: ReturnType<typeof registrationBody> = registrationBody(),
  idempotencyKey: string = randomUUID(),
) => person.calls(startRegistration, { idempotencyKey, body })

async function codeFor(world: World, email: string): Promise<string> {
  await world.runJobs()
  return (await world.mailTo(email))[0]!.code!
}

const verify = (person: Person, registrationId: string, code: string) =>
  person.calls(verifyRegistration, { params: { registrationId }, body: { code } })

/** Registers a person and returns everything that is secret about it. */
async function register(world: World) {
  const [owner, registrationId, email] = [world.stranger(), randomUUID(), 'grace@example.com']
  await start(owner, registrationBody(email, 'grace'), registrationId)
  const code = await codeFor(world, email)
  const pair = (await verify(owner, registrationId, code)).body
  owner.token = pair.accessToken
  return { owner, registrationId, code, pair }
}

const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000')

test('a registration returns a session and one key after the emailed code', async (t) => {
  const world = await sharedWorld(t)
  const someone = world.stranger()
  const registrationId = randomUUID()
  const started = await start(someone, registrationBody(), registrationId)
  equal(started.status, 202)
  equal(started.body.registrationId, registrationId)
  const life = Date.parse(started.body.expiresAt) - world.services.clock.now().getTime()
  ok(life > 3_590_000 && life <= 3_600_000)

  const code = await codeFor(world, 'ada@example.com')
  const [mail] = await world.mailTo('ada@example.com')
  match(mail!.subject, new RegExp(code))
  const verified = await verify(someone, registrationId, code)
  equal(verified.status, 200)
  deepEqual(Object.keys(verified.body).sort(), ['accessToken', 'expiresAt', 'expiresIn', 'refreshToken', 'tokenType'])
  equal(verified.body.tokenType, 'Bearer')
  equal(verified.body.expiresIn, 3600)
  match(verified.body.refreshToken, /^svcer_/)

  someone.token = verified.body.accessToken
  const issued = await someone.calls(issueRegistrationKey, { params: { registrationId }, body: {} })
  equal(issued.status, 201)
  equal(issued.body.profile.handle, 'ada_lovelace')
  match(issued.body.key, /^svcpk_[a-z2-7]{12}_[0-9A-Za-z]{49}$/)
  equal(issued.body.apiKey.keyPrefix, `svcpk_${issued.body.apiKey.keyId}`)
  equal(issued.body.apiKey.scope, 'posts:publish')

  const again = await someone.calls(issueRegistrationKey, { params: { registrationId }, body: {} })
  equal(again.status, 409)
  equal(again.body.code, 'key-already-issued')
  deepEqual(again.body.apiKey, issued.body.apiKey)
  ok(!JSON.stringify(again.body).includes(issued.body.key.slice(-20)))
})

test('the Idempotency-Key of a registration is a uuid; the same request replays, another is 422', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  for (const key of [undefined, '', 'not-a-uuid']) {
    const { status } = await someone.sends(startRegistration, {
      body: registrationBody(),
      ...(key !== undefined && { idempotencyKey: key }),
    })
    equal(status, 400, String(key))
  }
  const id = randomUUID()
  const first = await start(someone, registrationBody(), id)
  await world.runJobs()
  deepEqual((await start(someone, registrationBody(), id)).body, first.body)
  await world.runJobs()
  equal((await world.mailTo('ada@example.com')).length, 1)
  equal((await start(someone, registrationBody('ada@example.com', 'another_1'), id)).status, 422)
})

test('invalid registrations are 422 and name the field', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  const cases: [object, string][] = [
    [{ email: 'ada' }, 'email'],
    [{ email: `${'a'.repeat(320)}@example.com` }, 'email'],
    [{ email: 'a@b.example, c@d.example' }, 'email'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(51) }, 'name'],
    [{ name: ' new   USER ' }, 'name'],
    [{ name: 'New\u200b User' }, 'name'],
    [{ name: '\u200b\u2060' }, 'name'],
    [{ name: 'Ada\nBcc: eve' }, 'name'],
    [{ handle: 'abc' }, 'handle'],
    [{ handle: 'a'.repeat(31) }, 'handle'],
    [{ handle: '@ada_l' }, 'handle'],
    [{ handle: 'Admin' }, 'handle'],
    [{ handle: 'USER_123' }, 'handle'],
    [{ acceptedTerms: false }, 'acceptedTerms'],
    [{ isAdmin: true }, 'isAdmin'],
  ]
  for (const [change, field] of cases) {
    // One client has only ten starts an hour.
    const person = world.stranger()
    const reply = await person.sends(startRegistration, {
      idempotencyKey: randomUUID(),
      body: { ...registrationBody(), ...change },
    })
    equal(reply.status, 422, JSON.stringify(change))
    equal(reply.body.errors[0].field, field)
  }
  equal(
    (
      await someone.calls(startRegistration, {
        idempotencyKey: randomUUID(),
        body: { ...registrationBody(), name: '😀'.repeat(50) },
      })
    ).status,
    202,
  )
  await world.runJobs()
})

test('a mailbox with an account gets a note instead of a code, and the reply does not reveal it', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader({ email: 'known@example.com' })
  await world.advance(61)
  const known = await start(world.stranger(), registrationBody('known@example.com', 'somebody_1'))
  const unknown = await start(world.stranger(), registrationBody('unknown@example.com', 'somebody_2'))
  equal(known.status, unknown.status)
  equal(known.body.message, unknown.body.message)
  deepEqual([...known.headers.keys()].sort(), [...unknown.headers.keys()].sort())
  await world.runJobs()
  const [note] = await world.mailTo(reader.email)
  equal(note!.code, null)
  match(note!.text, /sign in/)
  equal((await verify(world.stranger(), known.body.registrationId, '123456')).status, 401)
})

test('a handle in use is refused at the start; one that was taken later can be replaced with the key', async (t) => {
  const world = await sharedWorld(t)
  const late = world.stranger()
  const id = randomUUID()
  await start(late, registrationBody('late@example.com', 'Popular'), id)
  const code = await codeFor(world, 'late@example.com')
  await world.creator({ handle: 'popular' })
  const taken = await start(world.stranger(), registrationBody('other@example.com', 'POPULAR'))
  equal(taken.status, 409)
  equal(taken.body.code, 'handle-conflict')
  deepEqual(taken.body.errors[0].field, 'handle')
  equal(taken.body.errors[0].code, 'taken')

  late.token = (await verify(late, id, code)).body.accessToken
  const ask = (body: object) => late.calls(issueRegistrationKey, { params: { registrationId: id }, body })
  equal((await ask({})).status, 409)
  equal((await ask({ handle: 'Popular' })).status, 409)
  equal((await ask({ handle: 'admin' })).status, 422)
  const issued = await ask({ handle: 'unpopular' })
  equal(issued.status, 201)
  equal(issued.body.profile.handle, 'unpopular')
})

test('a code is wrong, used up or late: 401; an attempt over an hour old: 410; an unknown one: 404', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  const id = randomUUID()
  await start(someone, registrationBody(), id)
  const code = await codeFor(world, 'ada@example.com')
  const wrong = await verify(someone, id, wrongCode(code))
  equal(wrong.status, 401)
  equal(wrong.body.code, 'invalid-verification')
  equal(wrong.headers.get('www-authenticate'), 'Bearer')
  equal((await verify(someone, randomUUID(), code)).status, 404)
  equal(
    (await someone.sends(verifyRegistration, { params: { registrationId: id }, body: { code: '12345' } })).status,
    422,
  )
  equal((await verify(someone, id, code)).status, 200)
  equal((await verify(someone, id, code)).status, 401)

  const other = randomUUID()
  await start(someone, registrationBody('b@example.com', 'bbbb_b'), other)
  const late = await codeFor(world, 'b@example.com')
  await world.advance(3_601)
  equal((await verify(someone, other, late)).status, 410)
  equal((await start(someone, registrationBody('b@example.com', 'bbbb_b'), other)).status, 410)
})

test('a code stops working after five wrong tries; an address has to wait after ten', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  const attempt = async () => {
    const id = randomUUID()
    await start(someone, registrationBody(), id)
    return { id, code: await codeFor(world, 'ada@example.com') }
  }
  const first = await attempt()
  for (let tries = 0; tries < 5; tries += 1) equal((await verify(someone, first.id, wrongCode(first.code))).status, 401)
  // The code no longer works: the right one is refused too, and counts as the sixth.
  equal((await verify(someone, first.id, first.code)).status, 401)
  await world.advance(61)
  const second = await attempt()
  for (let tries = 0; tries < 4; tries += 1)
    equal((await verify(someone, second.id, wrongCode(second.code))).status, 401)
  const eleventh = await verify(someone, second.id, second.code)
  equal(eleventh.status, 429)
  ok(Number(eleventh.headers.get('retry-after')) > 3000)
  await world.advance(Number(eleventh.headers.get('retry-after')))
  // The attempt itself has not expired: its hour began a minute later than the first wrong code.
  equal((await verify(someone, second.id, second.code)).status, 200)
})

test('of fifty parallel guesses, ten count as wrong codes and the rest are refused', async (t) => {
  const world = await emptiedWorld(t)
  const id = randomUUID()
  await start(world.stranger(), registrationBody(), id)
  const code = await codeFor(world, 'ada@example.com')
  const guesses = await Promise.all(Array.from({ length: 50 }, () => verify(world.stranger(), id, wrongCode(code))))
  equal(guesses.filter(({ status }) => status === 401).length, 10)
  equal(guesses.filter(({ status }) => status === 429).length, 40)
})

test('an address gets one email a minute and six an hour, for registration and sign-in together', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  const send = (index: number) =>
    index % 2
      ? someone.calls(logIn, { body: { email: 'ada@example.com' } })
      : start(someone, registrationBody('ada@example.com', `handle_${index}`))
  equal((await send(0)).status, 202)
  const soon = await send(1)
  equal(soon.status, 429)
  ok(Number(soon.headers.get('retry-after')) <= 60)
  for (let index = 1; index < 6; index += 1) {
    await world.advance(61)
    equal((await send(index)).status, 202, `mail ${index + 1}`)
  }
  await world.advance(61)
  const seventh = await send(6)
  equal(seventh.status, 429)
  await world.advance(Number(seventh.headers.get('retry-after')))
  equal((await send(7)).status, 202)
  await world.runJobs()
})

test('a client can start ten registrations an hour and complete sixty', async (t) => {
  const world = await sharedWorld(t)
  const busy = world.stranger()
  const ids = Array.from({ length: 10 }, () => randomUUID())
  const starts = (index: number) =>
    start(busy, registrationBody(`a${index}@example.com`, `handle_${index}`), ids[index]!)
  for (let index = 0; index < 10; index += 1) {
    const first = await starts(index)
    equal(first.status, 202)
    // Replaying a saved UUID does not count as a start.
    deepEqual((await starts(index)).body, first.body)
  }
  const eleventh = await start(busy, registrationBody('a10@example.com', 'handle_10'))
  equal(eleventh.status, 429)
  // Saved ids still get a reply, with the same input or not. Unknown ids count as starts, and refused ones are not saved.
  equal((await starts(3)).status, 202)
  equal((await start(busy, registrationBody('other@example.com', 'other_handle'), ids[3]!)).status, 422)
  const refused = randomUUID()
  for (let count = 0; count < 3; count += 1)
    equal((await start(busy, registrationBody('a10@example.com', 'handle_10'), refused)).status, 429)
  ok(Number(eleventh.headers.get('retry-after')) > 0)
  for (let index = 0; index < 60; index += 1) equal((await verify(busy, randomUUID(), '000000')).status, 404)
  equal((await verify(busy, randomUUID(), '000000')).status, 429)
  await world.runJobs()
})

test('the key of a registration is for the account that registered', async (t) => {
  const world = await emptiedWorld(t)
  const [grace, eve] = [await register(world), await world.reader()]
  const ask = (person: Person, id: string) =>
    person.calls(issueRegistrationKey, { params: { registrationId: id }, body: {} })
  equal((await ask(eve.owner, grace.registrationId)).status, 403)
  equal((await ask(eve.owner, randomUUID())).status, 404)
  const pending = randomUUID()
  await start(world.stranger(), registrationBody(), pending)
  equal((await ask(eve.owner, pending)).status, 403)
  await world.runJobs()
  equal((await ask(grace.owner, grace.registrationId)).status, 201)
  await world.advance(3_600)
  equal((await ask((await world.reader()).owner, pending)).body.code, 'registration-expired')
})

test('the key of a registration counts as one of the five of its account', async (t) => {
  const world = await emptiedWorld(t)
  const { owner, registrationId } = await register(world)
  const ask = () => owner.calls(issueRegistrationKey, { params: { registrationId }, body: {} })
  for (let count = 0; count < 5; count += 1)
    equal((await owner.calls(issueKey, { body: {}, idempotencyKey: randomUUID() })).status, 200)
  equal((await ask()).body.code, 'active-key-limit')
  const { keys } = (await owner.calls(listKeys, {})).body
  await owner.calls(revokeKey, { params: { keyId: keys[0].id } })
  equal((await ask()).status, 201)
})

test('of twenty parallel registrations of one handle, one wins', async (t) => {
  const world = await sharedWorld(t)
  const attempts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const [person, id, email] = [world.stranger(), randomUUID(), `racer${index}@example.com`]
      equal((await start(person, registrationBody(email, 'the_handle'), id)).status, 202)
      return { person, id, email }
    }),
  )
  await world.runJobs()
  const statuses = await Promise.all(
    attempts.map(async ({ person, id, email }) => {
      const [mail] = await world.mailTo(email)
      person.token = (await verify(person, id, mail!.code!)).body.accessToken
      return (await person.calls(issueRegistrationKey, { params: { registrationId: id }, body: {} })).status
    }),
  )
  equal(statuses.filter((status) => status === 201).length, 1)
  equal(statuses.filter((status) => status === 409).length, 19)
})

test('fifty parallel verifications with the right code start one session', async (t) => {
  const world = await emptiedWorld(t)
  const id = randomUUID()
  await start(world.stranger(), registrationBody(), id)
  const code = await codeFor(world, 'ada@example.com')
  const replies = await Promise.all(Array.from({ length: 50 }, () => verify(world.stranger(), id, code)))
  equal(replies.filter(({ status }) => status === 200).length, 1)
})

test('a new attempt of a client for a mailbox invalidates the code of its last one', async (t) => {
  const world = await emptiedWorld(t)
  const someone = world.stranger()
  const [firstId, secondId] = [randomUUID(), randomUUID()]
  await start(someone, registrationBody('ada@example.com', 'ada_one'), firstId)
  const firstCode = await codeFor(world, 'ada@example.com')
  await world.advance(61)
  await start(someone, registrationBody('ada@example.com', 'ada_two'), secondId)
  const secondCode = await codeFor(world, 'ada@example.com')
  equal((await verify(someone, firstId, firstCode)).status, 401)
  equal((await verify(someone, firstId, secondCode)).status, 401)
  someone.token = (await verify(someone, secondId, secondCode)).body.accessToken
  equal((await someone.calls(getMe, {})).body.profile.handle, 'ada_two')
})

test('a stranger who registers with the same mailbox neither invalidates nor uses up the code of a newcomer', async (t) => {
  const world = await emptiedWorld(t)
  const [newcomer, stranger] = [world.stranger(), world.stranger()]
  const [own, theirs] = [randomUUID(), randomUUID()]
  await start(newcomer, registrationBody(), own)
  const code = await codeFor(world, 'ada@example.com')
  equal((await start(stranger, registrationBody('ada@example.com', 'not_ada'), theirs)).status, 202)
  const theirCode = await codeFor(world, 'ada@example.com')
  for (let tries = 0; tries < 10; tries += 1) equal((await verify(stranger, theirs, wrongCode(theirCode))).status, 401)
  equal((await verify(stranger, theirs, theirCode)).status, 429)
  equal((await verify(stranger, own, wrongCode(code))).status, 429)
  equal((await verify(newcomer, own, code)).status, 200)
})

test('a stranger who has emails sent to a mailbox leaves two to everyone else, eighteen in all', async (t) => {
  const world = await emptiedWorld(t)
  const email = 'ada@example.com'
  const asks = (person: Person) => person.calls(logIn, { body: { email } })
  const stranger = world.stranger()
  for (let sends = 0; sends < 6; sends += 1) {
    equal((await asks(stranger)).status, 202)
    await world.advance(61)
  }
  equal((await asks(stranger)).status, 429)
  const newcomer = world.stranger()
  const id = randomUUID()
  equal((await start(newcomer, registrationBody(), id)).status, 202)
  await world.advance(61)
  const again = randomUUID()
  equal((await start(newcomer, registrationBody(), again)).status, 202)
  equal((await verify(newcomer, again, await codeFor(world, email))).status, 200)
  await world.advance(61)
  equal((await asks(newcomer)).status, 429)
  for (let others = 0; others < 10; others += 1) equal((await asks(world.stranger())).status, 202)
  const refused = await asks(world.stranger())
  deepEqual([refused.status, refused.body.code], [429, 'mail-cooldown'])
  await world.runJobs()
})

test('no secret is stored: not the code, not the key, not the tokens', async (t) => {
  const world = await emptiedWorld(t)
  const { owner, registrationId, code, pair } = await register(world)
  const first = await owner.calls(issueRegistrationKey, { params: { registrationId }, body: {} })
  const issued = await owner.calls(issueKey, { idempotencyKey: 'once', body: {} })
  const { rows } = await world.services.pool.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'captured_mail'`,
  )
  const everything = await Promise.all(
    rows.map(async ({ table_name }) =>
      JSON.stringify((await world.services.pool.query(`SELECT * FROM ${table_name}`)).rows),
    ),
  )
  const dump = everything.join('\n')
  notEqual(dump.length, 0)
  for (const secret of [
    code,
    issued.body.key,
    issued.body.key.slice(-30),
    first.body.key,
    pair.accessToken,
    pair.refreshToken,
  ]) {
    ok(!dump.includes(`"${secret}`) && !dump.includes(`${secret}"`), secret.slice(0, 8))
  }
})

test('the email before a mailbox is confirmed repeats nothing that the stranger wrote', async (t) => {
  const world = await emptiedWorld(t)
  const name = 'Claim 500 XNO now'
  await start(world.stranger(), { ...registrationBody('victim@example.com', 'claim_now'), name })
  await world.runJobs()
  const [mail] = await world.mailTo('victim@example.com')
  for (const text of [mail!.subject, mail!.text]) ok(!/claim/i.test(text), text)
})

test('a name is not a link', async (t) => {
  const world = await emptiedWorld(t)
  const statusOf = async (name: string) => {
    const reply = await start(world.stranger(), {
      ...registrationBody(`${randomUUID()}@example.com`, `h_${randomUUID().slice(0, 8)}`),
      name,
    })
    return [reply.status, reply.body.errors?.[0]?.code]
  }
  for (const name of [
    'Win https://evil.test',
    'www.evil.test',
    'evil.com',
    'Go to Evil.COM now',
    'bit.ly/x',
    'a.b/c de.fg/',
  ])
    deepEqual(await statusOf(name), [422, 'contains_link'], name)
  for (const name of ['J.R.R. Tolkien', 'St.John Smith', 'Dr. Io', 'A/B', 'Jean-Luc', 'Mr.Commander'])
    deepEqual(await statusOf(name), [202, undefined], name)
  await world.runJobs()
})
