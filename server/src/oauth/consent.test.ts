import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { logOut } from '@pennypost/contract/sessions'
import { tampered } from '../test/tampered.ts'
import { Browser, challengeOf, oauthWorld, Program, redirectUri, requestIn } from './oauth.fixture.ts'

const site = 'https://program.example/callback'

test('the page says who asks, for what, and what no program can do; nobody can frame, store or read it', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world, {
    client_name: '<b>Bank\u202e of\u0007 Trust</b>',
    redirect_uris: [site],
  })
  const reader = await world.reader()
  const link = program.link({ redirect_uri: site, scope: 'read publish' })
  const { status, text, headers } = await new Browser(world, reader).opens(link)
  equal(status, 200)
  for (const words of [
    '<b>program.example</b> wants to use',
    `<b>@${reader.handle}</b>`,
    '&lt;b&gt;Bank of Trust&lt;/b&gt;',
    'not verified',
    'Write and publish in your name',
    'It will never be able to',
  ])
    ok(text.includes(words), words)
  equal(text.includes('See what you earn'), false)
  const policy = String(headers['content-security-policy'])
  for (const rule of ["frame-ancestors 'none'", "form-action 'self' https:", "default-src 'none'"])
    ok(policy.includes(rule), policy)
  deepEqual(
    [headers['cache-control'], headers['referrer-policy'], headers['access-control-allow-origin']],
    ['private, no-store', 'no-referrer', undefined],
  )
})

test('a program on this device is shown as such, with a warning', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const { text } = await new Browser(world, await world.reader()).opens(program.link())
  ok(text.includes('<b>A program on this device (127.0.0.1:8765)</b> wants to use'))
  ok(text.includes('<dd>a program on this device (127.0.0.1:8765)</dd>'))
  ok(text.includes('can claim any name'))
})

test('Allow returns a code with state and issuer, Decline returns access_denied', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const browser = new Browser(world, await world.reader())
  const page = await browser.opens(program.link())
  const declined = await browser.decides(page, 'decline')
  const { searchParams } = new URL(declined.location!)
  deepEqual(
    [declined.status, searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')],
    [303, 'access_denied', 'a state', world.origin],
  )
  deepEqual(
    [
      declined.headers['referrer-policy'],
      declined.headers['cache-control'],
      declined.headers['access-control-allow-origin'],
    ],
    ['no-referrer', 'private, no-store', undefined],
  )
  const allowed = new URL((await browser.decides(page, 'allow')).location!)
  equal(allowed.origin + allowed.pathname, redirectUri)
  deepEqual([...allowed.searchParams.keys()], ['code', 'state', 'iss'])
  match(allowed.searchParams.get('code')!, /^svcod_[\w-]{43}$/)
})

test('a consent is answered once, within ten minutes, by the session it was shown to, from our page', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const reader = await world.reader()
  const browser = new Browser(world, reader)
  const page = await browser.opens(program.link())
  const refusals = [
    await new Browser(world).decides(page, 'allow'),
    await new Browser(world, await world.reader()).decides(page, 'allow'),
    await browser.decides(page, 'allow', { 'sec-fetch-site': 'cross-site' }),
    await browser.decides(page, 'allow', { 'sec-fetch-site': 'same-site' }),
    await browser.decides(page, 'allow', { origin: 'https://evil.example' }),
  ]
  for (const { status, text } of refusals) {
    equal(status, 403)
    ok(text.includes('consent-not-yours'))
  }
  const replies = await Promise.all([1, 2, 3].map(() => browser.decides(page, 'allow')))
  deepEqual(replies.map(({ status }) => status).sort(), [303, 400, 400])
  ok(replies.some(({ text }) => text.includes('consent-expired')))
  const forged = { text: `name="request" value="${tampered(requestIn(page))}"` }
  equal((await browser.decides(forged, 'allow')).status, 400)
  equal((await browser.decides(page, 'maybe')).status, 400)
  const late = await browser.opens(program.link())
  await world.advance(600)
  equal((await browser.decides(late, 'allow')).status, 400)
  const ended = await browser.opens(program.link())
  await reader.owner.calls(logOut, {})
  equal((await browser.decides(ended, 'allow')).status, 403)
})

test('a signed-out person signs in and comes back to the same request; a guest too', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const link = program.link({ state: 'a&b=c d' })
  const { status, location } = await new Browser(world).opens(link)
  equal(status, 303)
  const signIn = new URL(location!, world.origin)
  deepEqual([signIn.pathname, signIn.searchParams.get('for')], ['/sign-in', 'connect'])
  const next = new URL(signIn.searchParams.get('next')!, world.origin)
  next.searchParams.sort()
  const expected = new URL(link)
  expected.searchParams.sort()
  equal(next.href, expected.href)
  const guest = await world.reader()
  await world.services.pool.query(
    'UPDATE accounts SET is_anonymous = true, email = NULL, email_confirmed_at = NULL WHERE id = $1',
    [guest.accountId],
  )
  equal((await new Browser(world, guest).opens(link)).status, 303)
})

test('an access token that has expired in the cookie is renewed, not the end of the session', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const browser = new Browser(world, await world.reader())
  await world.advance(3600)
  const page = await browser.opens(program.link())
  equal(page.status, 200)
  browser.cookie = String(page.headers['set-cookie']).split(';', 1)[0]!
  equal((await browser.decides(page, 'allow')).status, 303)
})

test('a wrong program or redirect URI is shown on a page and never followed', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world, { redirect_uris: [site, redirectUri] })
  const browser = new Browser(world, await world.reader())
  const cases: [Record<string, string | undefined>, string][] = [
    [{ client_id: 'nobody' }, 'unknown-program'],
    [{ client_id: `${program.clientId}A` }, 'unknown-program'],
    [{ client_id: undefined }, 'invalid-request'],
    [{ redirect_uri: 'https://evil.example/' }, 'redirect-not-allowed'],
    [{ redirect_uri: `${site}/` }, 'redirect-not-allowed'],
    [{ redirect_uri: `${site}?x=1` }, 'redirect-not-allowed'],
    [{ redirect_uri: `${site}#x` }, 'redirect-not-allowed'],
    [{ redirect_uri: 'https://program.example:444/callback' }, 'redirect-not-allowed'],
    [{ redirect_uri: 'https://PROGRAM.example/callback' }, 'redirect-not-allowed'],
    [{ redirect_uri: 'http://localhost:8765/callback' }, 'redirect-not-allowed'],
    [{ redirect_uri: 'http://127.0.0.1:8765/other' }, 'redirect-not-allowed'],
    // There are two.
    [{ redirect_uri: undefined }, 'redirect-not-allowed'],
  ]
  for (const [changes, code] of cases) {
    const { status, text, location } = await browser.opens(program.link(changes))
    deepEqual([status, location, text.includes(code)], [400, undefined, true], JSON.stringify(changes))
  }
  const twice = await browser.opens(`${program.link()}&redirect_uri=${encodeURIComponent(site)}`)
  deepEqual([twice.status, twice.location], [400, undefined])
  // A program on this device may listen on any port.
  equal((await browser.opens(program.link({ redirect_uri: 'http://127.0.0.1:1/callback' }))).status, 200)
  const only = await Program.registered(world)
  equal((await browser.opens(only.link({ redirect_uri: undefined }))).status, 200)
})

test('no program can ask in the name of this site', async (t) => {
  const own = 'https://other.test'
  const world = await oauthWorld(t, { ALT_BASE_URL: own })
  const browser = new Browser(world, await world.reader())
  for (const uri of [`${own}/settings`, own]) {
    const program = await Program.registered(world, { redirect_uris: [uri] })
    for (const redirect_uri of [uri, undefined]) {
      const { status, text } = await browser.opens(program.link({ redirect_uri }))
      deepEqual([status, text.includes('redirect-not-allowed')], [400, true])
    }
  }
})

const wrongRequests: [Record<string, string | undefined>, string][] = [
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
  [{ code_challenge: undefined }, 'invalid_request'],
  [{ code_challenge: 'short' }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ code_challenge_method: undefined }, 'invalid_request'],
  [{ scope: 'admin' }, 'invalid_scope'],
  [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
  [{ resource: 'nonsense' }, 'invalid_target'],
]

test('other mistakes are told to a program on this device, with its state', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const browser = new Browser(world)
  for (const [changes, error] of wrongRequests) {
    const { status, location } = await browser.opens(program.link(changes))
    equal(status, 303)
    const { searchParams } = new URL(location!)
    deepEqual(
      [searchParams.get('error'), searchParams.get('state'), searchParams.get('iss'), searchParams.has('code')],
      [error, 'a state', world.origin, false],
      JSON.stringify(changes),
    )
  }
  const { location } = await browser.opens(`${program.link()}&scope=publish`)
  equal(new URL(location!).searchParams.get('error'), 'invalid_request')
})

test('a browser is not sent to a site that anyone may have registered, only shown a link to it', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world, { redirect_uris: [site] })
  for (const [changes, error] of wrongRequests) {
    const { status, location, text } = await new Browser(world).opens(program.link({ redirect_uri: site, ...changes }))
    deepEqual([status, location], [400, undefined])
    ok(text.includes(`href="${site}?error=${error}`), text.slice(-800))
  }
})

test('scopes that do not exist are left out; without any, a program may read', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  for (const [scope, given] of [
    ['publish offline_access read publish', 'publish read'],
    ['', 'read'],
    [undefined, 'read'],
  ] as const)
    equal((await program.connects(reader, { scope })).scope, given)
})

test('of several scopes the person ticks those that the program gets; none at all is a no', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  const browser = new Browser(world, reader)
  const answers = async (scope: string, ...ticked: string[]) => {
    const page = await browser.opens(program.link({ scope }))
    const fields = ticked.map((name): [string, string] => ['scope', name])
    const { location } = await browser.decides(page, 'allow', {}, fields)
    return new URL(location!).searchParams
  }
  // One that was not asked for is not given either.
  const code = (await answers('read publish earnings', 'read', 'earnings', 'interact')).get('code')!
  equal((await program.exchanges(code)).body.scope, 'read earnings')
  equal((await answers('read publish')).get('error'), 'access_denied')
  equal((await answers('read publish', 'earnings')).get('error'), 'access_denied')
  // A single one has no box.
  const only = (await answers('publish')).get('code')!
  equal((await program.exchanges(only)).body.scope, 'publish')
})

test('metadata name the origin that was asked, and every endpoint exists', async (t) => {
  const world = await oauthWorld(t, { ALT_BASE_URL: 'http://other.test' })
  const get = async (path: string, host: string) => (await world.server.inject({ url: path, headers: { host } })).json()
  for (const origin of [world.origin, 'http://other.test']) {
    const { host } = new URL(origin)
    const server = await get('/.well-known/oauth-authorization-server', host)
    equal(server.issuer, origin)
    deepEqual([server.code_challenge_methods_supported, server.response_types_supported], [['S256'], ['code']])
    for (const name of ['token_endpoint', 'revocation_endpoint', 'registration_endpoint', 'authorization_endpoint']) {
      ok(server[name].startsWith(`${origin}/oauth/`))
      const options = await world.server.inject({
        method: 'OPTIONS',
        url: new URL(server[name]).pathname,
        headers: { host },
      })
      equal(options.statusCode, 204)
      ok(String(options.headers['access-control-allow-headers']).includes('content-type'))
    }
    const resource = await get('/.well-known/oauth-protected-resource', host)
    deepEqual([resource.resource, resource.authorization_servers], [origin, [origin]])
    equal((await get('/.well-known/oauth-protected-resource/mcp', host)).resource, `${origin}/mcp`)
  }
  const { headers } = await world.server.inject('/.well-known/oauth-authorization-server')
  equal(headers['access-control-allow-origin'], '*')
  equal(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
})
