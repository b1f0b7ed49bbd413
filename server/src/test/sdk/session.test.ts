import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '@pennypost/sdk'
import { createWorld, sharedWorld } from '../world.ts'
import { sdkFor } from './sdk-client.fixture.ts'

const refreshes = (sent: readonly { readonly path: string }[]) =>
  sent.filter(({ path }) => path === '/api/v1/auth/refresh').length

test('signing in by email keeps the session in the store, and signing out ends it', async (t) => {
  const world = await sharedWorld(t)
  const { email, handle } = await world.reader()
  const store = memoryStore()
  const { client } = sdkFor(world, { store })
  equal(await client.session.current(), undefined)
  await client.session.sendCode(email)
  await world.runJobs()
  const [mail] = await world.mailTo(email)
  await client.session.signIn(email, mail!.code!)
  equal((await client.profile.me()).profile.handle, handle)
  // A second program with the same store is signed in too.
  equal((await sdkFor(world, { store }).client.profile.me()).profile.handle, handle)
  await client.session.signOut()
  equal(await client.session.current(), undefined)
  await rejects(client.profile.me(), { code: 'unauthorized' })
})

test('two tabs with an expired token refresh once', async (t) => {
  const world = await createWorld(t)
  const { pair } = await world.reader()
  await world.advance(2 * 3600)
  const store = memoryStore()
  const tabs = [sdkFor(world, { store, session: pair }), sdkFor(world, { store, session: pair })]
  const calls = tabs.flatMap(({ client }) => [client.profile.me(), client.profile.me(), client.library.list().take(1)])
  await Promise.all(calls)
  equal(refreshes(tabs.flatMap(({ sent }) => sent)), 1)
  const [first, second] = await Promise.all(tabs.map(({ client }) => client.session.current()))
  deepEqual(first, second)
  // The old tokens of the program do not replace the new ones.
  const restarted = sdkFor(world, { store, session: pair })
  await restarted.client.profile.me()
  equal(refreshes(restarted.sent), 0)
})

test('a token that is about to expire is refreshed before it is used', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const { client, sent } = sdkFor(world, { session: { ...pair, expiresAt: Math.floor(Date.now() / 1000) + 10 } })
  await client.profile.me()
  deepEqual(
    sent.map(({ path }) => path),
    ['/api/v1/auth/refresh', '/api/v1/me'],
  )
})

test('a refresh whose response was lost is sent again, and gives the same session', async (t) => {
  const world = await createWorld(t)
  const { pair } = await world.reader()
  await world.advance(2 * 3600)
  const { client, sent, loseReplies } = sdkFor(world, { session: pair })
  loseReplies(({ path }, count) => path === '/api/v1/auth/refresh' && count === 0)
  await client.profile.me()
  equal(refreshes(sent), 2)
  equal((await client.session.current())?.refreshToken === pair.refreshToken, false)
})

test('an ended session is forgotten, and its error says so', async (t) => {
  const world = await createWorld(t)
  const { pair } = await world.reader()
  const { client: other } = sdkFor(world, { session: pair })
  await other.session.signOut()
  const { client } = sdkFor(world, { session: pair })
  await rejects(client.profile.me(), { code: 'session-expired', status: 401 })
  equal(await client.session.current(), undefined)
})
