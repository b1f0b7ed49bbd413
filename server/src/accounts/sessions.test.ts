import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { continueWithEmail } from '@pennypost/contract/continuations'
import { getMe } from '@pennypost/contract/me'
import { getSigningKeys, logIn, logOut, refreshSession, verifyLogin } from '@pennypost/contract/sessions'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Person } from '../test/person.ts'
import { tampered } from '../test/tampered.ts'
import { createWorld, emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { issueCode } from './email-codes.ts'

async function codeFor(world: World, email: string): Promise<string> {
  await world.runJobs()
  return (await world.mailTo(email))[0]!.code!
}

async function signsIn(world: World, person: Person, email: string) {
  await world.advance(61)
  equal((await person.calls(logIn, { body: { email } })).status, 202)
  return person.calls(verifyLogin, { body: { email, code: await codeFor(world, email) } })
}

const refresh = (person: Person, refreshToken: string) => person.calls(refreshSession, { body: { refreshToken } })

test('signing in by email finds the same account', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const person = world.stranger()
  const reply = await signsIn(world, person, reader.email.toUpperCase())
  equal(reply.status, 200)
  deepEqual(reply.body.session, { user: { id: reader.accountId } })
  match(reply.body.refreshToken, /^svcer_/)
  equal(reply.headers.get('set-cookie'), null)
  person.token = reply.body.accessToken
  equal((await person.calls(getMe, {})).body.id, reader.accountId)
})

test('signing in neither reveals whether an account exists nor creates one', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  await world.advance(61)
  const someone = world.stranger()
  const known = await someone.calls(logIn, { body: { email: reader.email } })
  const unknown = await someone.calls(logIn, { body: { email: 'nobody@example.com' } })
  deepEqual([known.status, known.body], [unknown.status, unknown.body])
  deepEqual([...known.headers.keys()], [...unknown.headers.keys()])
  await world.runJobs()
  equal((await world.mailTo('nobody@example.com')).length, 0)
  equal(
    (await world.stranger().calls(verifyLogin, { body: { email: 'nobody@example.com', code: '123456' } })).status,
    401,
  )
  // During the cooldown both are 429.
  for (const email of [reader.email, 'nobody@example.com'])
    equal((await someone.calls(logIn, { body: { email } })).status, 429)
})

test('a sign-in code works for ten minutes, once, until a new one is sent', async (t) => {
  const world = await sharedWorld(t)
  const { email } = await world.reader()
  const person = world.stranger()
  const ask = async () => {
    await world.advance(61)
    await person.calls(logIn, { body: { email } })
    return codeFor(world, email)
  }
  const verify = (code: string) => person.calls(verifyLogin, { body: { email, code } })
  const first = await ask()
  const second = await ask()
  if (first !== second) equal((await verify(first)).status, 401)
  equal((await verify(second)).status, 200)
  equal((await verify(second)).status, 401)
  const third = await ask()
  await world.advance(601)
  equal((await verify(third)).status, 401)
})

const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000')

test("a stranger's wrong codes do not lock the owner out while no code was sent", async (t) => {
  const world = await sharedWorld(t)
  const { email } = await world.reader()
  const stranger = world.stranger()
  const guess = (person: Person) => person.calls(verifyLogin, { body: { email, code: '123456' } })
  for (let tries = 0; tries < 10; tries += 1) equal((await guess(stranger)).status, 401)
  // The stranger has to wait, from this address; nobody else has.
  const refused = await guess(stranger)
  deepEqual([refused.status, refused.body.code], [429, 'too-many-tries'])
  for (let strangers = 0; strangers < 20; strangers += 1) equal((await guess(world.stranger())).status, 401)
  equal((await signsIn(world, world.stranger(), email)).status, 200)
})

test('of the guesses at codes that were sent, ten an hour count, from all addresses together', async (t) => {
  const world = await emptiedWorld(t)
  const known = await world.reader()
  const outcome = async (email: string) => {
    const statuses: number[] = []
    for (let sends = 0; sends < 3; sends += 1) {
      await world.advance(61)
      await world.stranger().calls(logIn, { body: { email } })
      await world.runJobs()
      const code = (await world.mailTo(email))[0]?.code ?? '000000'
      const guess = () => world.stranger().calls(verifyLogin, { body: { email, code: wrongCode(code) } })
      for (let tries = 0; tries < 6; tries += 1) statuses.push((await guess()).status)
    }
    return statuses
  }
  const statuses = await outcome(known.email)
  deepEqual(statuses.slice(0, 11), Array(11).fill(401))
  deepEqual(statuses.slice(11), Array(7).fill(429))
  // The same without an account.
  deepEqual(await outcome('nobody@example.com'), statuses)
})

test('the link in the email signs in, once, although strangers used up all tries', async (t) => {
  const world = await sharedWorld(t)
  const { email, accountId } = await world.reader()
  const stranger = world.stranger()
  for (let sends = 0; sends < 3; sends += 1) {
    await world.advance(61)
    await stranger.calls(logIn, { body: { email } })
    const code = await codeFor(world, email)
    for (let tries = 0; tries < 6; tries += 1)
      await world.stranger().calls(verifyLogin, { body: { email, code: wrongCode(code) } })
  }
  const code = await codeFor(world, email)
  const verify = (person: Person, given: string) => person.calls(verifyLogin, { body: { email, code: given } })
  equal((await verify(world.stranger(), code)).status, 429)
  const [mail] = await world.mailTo(email)
  const url = new URL(/http\S+/.exec(mail!.text)![0])
  const fragment = new URLSearchParams(url.hash.slice(1))
  deepEqual([url.pathname, url.search, fragment.get('email')], ['/sign-in', '', email])
  const token = fragment.get('token')!
  equal((await verify(world.stranger(), tampered(token))).status, 401)
  const reply = await verify(world.stranger(), token)
  deepEqual([reply.status, reply.body.session?.user.id], [200, accountId])
  equal((await verify(world.stranger(), token)).status, 401)
})

test('a refresh changes both tokens; the old access token works until it ends', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  await world.advance(5)
  const renewed = await refresh(world.stranger(), reader.pair.refreshToken)
  equal(renewed.status, 200)
  notEqual(renewed.body.accessToken, reader.pair.accessToken)
  notEqual(renewed.body.refreshToken, reader.pair.refreshToken)
  equal((await reader.owner.calls(getMe, {})).status, 200)
  await world.advance(3_600)
  equal((await reader.owner.calls(getMe, {})).status, 401)
  reader.owner.token = renewed.body.accessToken
  equal((await reader.owner.calls(getMe, {})).status, 401)
  equal((await refresh(world.stranger(), renewed.body.refreshToken)).status, 200)
})

test('within ten seconds the previous token returns the same pair; later it ends the family, for good', async (t) => {
  const world = await sharedWorld(t)
  const { pair, owner } = await world.reader()
  const person = world.stranger()
  const second = await refresh(person, pair.refreshToken)
  await world.advance(9)
  deepEqual((await refresh(person, pair.refreshToken)).body, second.body)
  await world.advance(2)
  const replayed = await refresh(person, pair.refreshToken)
  equal(replayed.status, 401)
  equal(replayed.body.code, 'session-expired')
  // The refusal did not roll the revocation back.
  equal((await refresh(person, second.body.refreshToken)).status, 401)
  equal((await owner.calls(getMe, {})).status, 401)
})

test('a token from two rotations ago ends the family, even within ten seconds', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const person = world.stranger()
  const second = await refresh(person, pair.refreshToken)
  const third = await refresh(person, second.body.refreshToken)
  equal(third.status, 200)
  equal((await refresh(person, pair.refreshToken)).status, 401)
  equal((await refresh(person, third.body.refreshToken)).status, 401)
})

test('fifty parallel refreshes of one token return one pair', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const replies = await Promise.all(Array.from({ length: 50 }, () => refresh(world.stranger(), pair.refreshToken)))
  equal(new Set(replies.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1)
  equal(replies[0]!.status, 200)
  equal((await refresh(world.stranger(), replies[0]!.body.refreshToken)).status, 200)
})

test('a refresh token that was never ours is 401, whatever it looks like', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  for (const token of [
    '',
    'svcer_',
    'svcwr_x',
    tampered(pair.refreshToken),
    pair.refreshToken.replace('svcer_', 'svcwr_'),
    `${pair.refreshToken}x`,
    pair.accessToken.slice(0, 500),
  ]) {
    equal((await refresh(world.stranger(), token)).status, 401, token.slice(0, 12))
  }
  equal((await refresh(world.stranger(), pair.refreshToken)).status, 200)
})

test('signing out ends this session immediately and no other', async (t) => {
  const world = await sharedWorld(t)
  const creator = await world.creator()
  const other = world.stranger()
  other.token = (await signsIn(world, world.stranger(), creator.email)).body.accessToken
  const reply = await creator.owner.calls(logOut, {})
  deepEqual(reply.body, { loggedOut: true, scope: 'local', accessTokenValidUntilExpiry: true })
  equal((await creator.owner.calls(getMe, {})).status, 401)
  equal((await refresh(world.stranger(), creator.pair.refreshToken)).status, 401)
  equal((await other.calls(getMe, {})).status, 200)
  equal((await creator.publisher.calls(getMe, {})).status, 200)
})

test('an access token is a JWT that anyone can verify with the published key', async (t) => {
  const world = await sharedWorld(t)
  const { pair, accountId } = await world.reader()
  const { body } = await world.stranger().calls(getSigningKeys, {})
  const { payload, protectedHeader } = await jwtVerify(pair.accessToken, createLocalJWKSet(body), {
    issuer: world.origin,
  })
  equal(protectedHeader.alg, 'EdDSA')
  equal(payload.sub, accountId)
  equal(payload.exp! - payload.iat!, 3600)
  ok(!('d' in body.keys[0]))
})

test('an altered or unsigned token is 401', async (t) => {
  const world = await sharedWorld(t)
  const { pair, owner } = await world.reader()
  const [header, payload, signature] = pair.accessToken.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' })).toString(
    'base64url',
  )
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  for (const token of [
    `${header}.${forged}.${signature}`,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${header}.${payload}`,
    pair.refreshToken,
  ]) {
    owner.token = token
    equal((await owner.calls(getMe, {})).status, 401)
  }
})

async function captchaProvider(t: TestContext, verdictOf: (token: string | null) => object | undefined) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const form = new URLSearchParams(text)
      const body = form.get('secret') === 's3cret' ? verdictOf(form.get('response')) : undefined
      response.statusCode = body ? 200 : 500
      response.end(JSON.stringify(body ?? 'broken'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => server.close())
  return {
    CAPTCHA_URL: `http://127.0.0.1:${(server.address() as { port: number }).port}/siteverify`,
    CAPTCHA_SECRET: 's3cret',
  }
}

test('with a captcha provider nobody signs in without a valid token, or while the provider is down', async (t) => {
  const settings = await captchaProvider(t, (token) =>
    token === 'broken' ? undefined : { success: token === 'human' },
  )
  const world = await createWorld(t, { settings })
  const asks = {
    logIn: (captchaToken?: string) => world.stranger().calls(logIn, { body: { email: 'a@example.com', captchaToken } }),
    continueWithEmail: (captchaToken?: string) =>
      world.stranger().calls(continueWithEmail, {
        body: { email: 'b@example.com', acceptedTerms: true, captchaToken },
      }),
  }
  for (const [name, ask] of Object.entries(asks)) {
    equal((await ask()).status, 403, name)
    equal((await ask('robot')).status, 403, name)
    equal((await ask('broken')).status, 503, name)
    equal((await ask('human')).status, 202, name)
  }
  await world.runJobs()
})

test('a mail job that runs late does not invalidate the newer code', async (t) => {
  const world = await emptiedWorld(t)
  const { email } = await world.reader()
  const { db, pool, clock, secrets } = world.services
  await world.advance(61)
  const earlier = { purpose: 'login', subject: email, issue: 'first', issuedAt: clock.now() } as const
  await world.advance(61)
  await world.stranger().calls(logIn, { body: { email } })
  const newer = await codeFor(world, email)
  const expiresAt = new Date(clock.now().getTime() + 600_000)
  equal(await issueCode(db, secrets, { ...earlier, expiresAt }), undefined)
  equal((await world.stranger().calls(verifyLogin, { body: { email, code: newer } })).status, 200)
  equal((await pool.query('SELECT FROM email_codes WHERE purpose = $1', ['login'])).rowCount, 1)
})
