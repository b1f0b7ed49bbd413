import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { recoverCheckout } from '@pennypost/contract/checkout'
import { getLeaderboard } from '@pennypost/contract/discovery'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { getMe } from '@pennypost/contract/me'
import { createPost, listPosts, previewMarkdown } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import { listSessions, logOut, revokeSession, type TokenPair } from '@pennypost/contract/sessions'
import { endSiteSession, getSiteSession, startSiteSession } from '@pennypost/contract/site-session'
import { getNanoChallenge } from '@pennypost/contract/wallet-logins'
import { createWorld, sharedWorld, type World } from '../test/world.ts'

const otherSite = 'https://evil.example'

/** What a browser would send: its cookie, and the origin of the page that asks. */
async function browse(
  world: World,
  endpoint: Endpoint,
  {
    cookie,
    origin,
    body,
    headers,
  }: { cookie?: string | undefined; origin?: string; body?: object; headers?: object } = {},
) {
  const reply = await world.server.inject({
    method: endpoint.method,
    url: endpoint.path,
    headers: { ...(cookie && { cookie }), ...(origin && { origin }), ...headers },
    ...(body && { payload: body }),
  })
  const set = reply.headers['set-cookie'] as string | undefined
  return { status: reply.statusCode, body: reply.json(), set, cookie: set?.split(';')[0] }
}

const start = (world: World, { accessToken, refreshToken }: TokenPair, origin = world.origin) =>
  browse(world, startSiteSession, { origin, body: { accessToken, refreshToken } })

test('a pair is kept in a cookie that no script and no other site gets', async (t) => {
  const world = await sharedWorld(t)
  const { pair, accountId } = await world.reader()
  const { status, body, set } = await start(world, pair)
  equal(status, 200)
  equal(body.account.id, accountId)
  match(set!, /^pennypost=[^;]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/)
})

test('on https the cookie is Secure, and has a name that no neighbouring host can set', async (t) => {
  const world = await createWorld(t, { settings: { BASE_URL: 'https://pennypost.test' } })
  const { pair } = await world.reader()
  const { set, cookie } = await start(world, pair)
  match(set!, /^__Host-pennypost=[^;]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/)
  equal((await browse(world, getMe, { cookie })).status, 200)
  equal((await browse(world, getMe, { cookie: cookie!.replace('__Host-', '') })).status, 401)
})

test('only a page of this service signs a browser in or out', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  for (const origin of [otherSite, 'null', `${world.origin}.evil.example`, `${world.origin}:81`]) {
    const { status, body, set } = await start(world, pair, origin)
    deepEqual([status, body.code, set], [403, 'untrusted-origin', undefined], origin)
  }
  const { cookie } = await start(world, pair)
  equal((await browse(world, endSiteSession, { cookie, origin: otherSite })).status, 403)
  equal((await browse(world, endSiteSession, { cookie })).status, 403)
  equal((await browse(world, getMe, { cookie })).status, 200)
})

test('a cookie is no secret of a checkout or of a challenge: those routes want theirs', async (t) => {
  const world = await sharedWorld(t)
  const { cookie } = await start(world, (await world.reader()).pair)
  const id = '00000000-0000-4000-8000-000000000000'
  for (const endpoint of [recoverCheckout, getNanoChallenge]) {
    const path = endpoint.path.replace(/\{\w+\}/, id)
    equal((await browse(world, { ...endpoint, path }, { cookie, origin: world.origin })).status, 401, path)
  }
})

test('a pair that is no pair is not kept', async (t) => {
  const world = await sharedWorld(t)
  const [one, other] = [await world.reader(), await world.reader()]
  const mixed = { ...one.pair, refreshToken: other.pair.refreshToken }
  for (const pair of [mixed, { ...one.pair, accessToken: 'x' }, { ...one.pair, refreshToken: 'x' }]) {
    const { status, body, set } = await start(world, pair)
    deepEqual([status, body.code, set], [401, 'session-expired', undefined])
  }
  await one.owner.calls(logOut, {})
  equal((await start(world, one.pair)).status, 401)
})

test('the cookie reads without an origin, and changes something only from a page of this service', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const { cookie } = await start(world, pair)
  const body = { payoutAddress: 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3' }
  const me = await browse(world, getMe, { cookie })
  deepEqual([me.status, me.body.credential.kind], [200, 'owner-session'])
  for (const origin of [undefined, otherSite, 'null']) {
    const asked = { cookie, body, ...(origin && { origin }) }
    equal((await browse(world, savePayoutAddress, asked)).status, 401, origin)
  }
  equal((await browse(world, savePayoutAddress, { cookie, body, origin: world.origin })).status, 200)
})

test('the cookie stands for a Publishing key too: its owner could issue one', async (t) => {
  const world = await sharedWorld(t)
  const { pair, accountId } = await world.reader()
  const { cookie } = await start(world, pair)
  const created = await browse(world, createPost, { cookie, origin: world.origin, body: { title: 'A draft' } })
  equal(created.status, 201)
  equal((await browse(world, createPost, { cookie, origin: otherSite, body: { title: 'Not mine' } })).status, 401)
  const { body } = await browse(world, listPosts, { cookie })
  deepEqual(
    body.data.map(({ title }: { title: string }) => title),
    ['A draft'],
  )
  const shown = await browse(world, previewMarkdown, { cookie, origin: world.origin, body: { markdown: '**b** <b>' } })
  equal(shown.body.html, '<p><strong>b</strong> &lt;b&gt;</p>\n')
  equal(accountId.length, 36)
})

test('an Authorization header counts alone: where it is wrong, the cookie does not help', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const { cookie } = await start(world, pair)
  equal((await browse(world, getMe, { cookie, headers: { authorization: 'Bearer nonsense' } })).status, 401)
  const other = await world.reader()
  const { body } = await browse(world, getMe, {
    cookie,
    headers: { authorization: `Bearer ${other.pair.accessToken}` },
  })
  equal(body.id, other.accountId)
})

test('an invalid cookie is anonymous, also where signing in is optional', async (t) => {
  const world = await sharedWorld(t)
  for (const cookie of [
    'pennypost=',
    'pennypost=~',
    'pennypost=x~y',
    'pennypost',
    'a=b; ;=;',
    `pennypost=${'x'.repeat(4000)}`,
  ]) {
    equal((await browse(world, getMe, { cookie })).status, 401, cookie)
    const { body } = await browse(world, getSiteSession, { cookie })
    deepEqual(body, { account: null, unread: 0 })
    const board = await world.server.inject({ url: `${getLeaderboard.path}?board=supporters`, headers: { cookie } })
    equal(board.statusCode, 200)
  }
})

test('an access token that is about to end is renewed; two tabs that ask at once stay signed in', async (t) => {
  const world = await sharedWorld(t)
  const { pair, accountId } = await world.reader()
  const { cookie } = await start(world, pair)
  equal((await browse(world, getSiteSession, { cookie })).set, undefined)
  await world.advance(3700)
  equal((await browse(world, getMe, { cookie })).status, 401)
  const tabs = await Promise.all([1, 2, 3].map(() => browse(world, getSiteSession, { cookie })))
  for (const { body, cookie: renewed } of tabs) {
    equal(body.account.id, accountId)
    equal(renewed, tabs[0]!.cookie)
  }
  ok(tabs[0]!.cookie !== cookie)
  equal((await browse(world, getMe, { cookie: tabs[0]!.cookie })).status, 200)
  // The old one, much later: someone has a copy. That ends the session for everyone.
  await world.advance(60)
  const replay = await browse(world, getSiteSession, { cookie })
  deepEqual([replay.body.account, replay.set?.includes('Max-Age=0')], [null, true])
  equal((await browse(world, getMe, { cookie: tabs[0]!.cookie })).status, 401)
})

test('an access token is renewed in its last five minutes, not only once it has ended', async (t) => {
  const world = await sharedWorld(t)
  const { cookie } = await start(world, (await world.reader()).pair)
  await world.advance(3600 - 360)
  equal((await browse(world, getSiteSession, { cookie })).set, undefined)
  await world.advance(120)
  equal((await browse(world, getMe, { cookie })).status, 200)
  const { set, cookie: renewed } = await browse(world, getSiteSession, { cookie })
  ok(set !== undefined && renewed !== cookie)
})

test('signing out ends the session, not only the cookie; also when its access token ended before', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const { cookie } = await start(world, pair)
  await world.advance(3700)
  const { body, set } = await browse(world, endSiteSession, { cookie, origin: world.origin })
  deepEqual(body, { account: null, unread: 0 })
  match(set!, /^pennypost=; Path=\/; Max-Age=0;/)
  equal((await browse(world, getSiteSession, { cookie })).body.account, null)
})

test('who is signed in at several places sees them all, ends one, and nobody else can', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const stranger = await world.reader()
  const { body } = await reader.owner.calls(listSessions, {})
  equal(body.sessions.length, 1)
  const [session] = body.sessions
  deepEqual([session.kind, session.isCurrent], ['email', true])
  const params = { sessionId: session.id }
  equal((await stranger.owner.calls(revokeSession, { params })).status, 404)
  equal((await reader.owner.calls(revokeSession, { params })).status, 200)
  equal((await reader.owner.calls(getMe, {})).status, 401)
})
