import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { contract, siteContract } from '@pennypost/contract/contract'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { listEarnings } from '@pennypost/contract/finance'
import { listLibrary } from '@pennypost/contract/library'
import { getMe } from '@pennypost/contract/me'
import { mcpPath } from '@pennypost/contract/oauth'
import { type OAuthScope, scopeNames } from '@pennypost/contract/oauth-scopes'
import { scopesOf } from '@pennypost/contract/operation-scopes'
import { createPost, getPost } from '@pennypost/contract/posts'
import { administrator, comments, publishes } from '../discussion/discussion.fixture.ts'
import { payable } from '../posts/posts.fixture.ts'
import { nextAddress, Person } from '../test/person.ts'
import { oauthWorld, Program } from './oauth.fixture.ts'

const operations = Object.entries<Endpoint>({ ...contract, ...siteContract })
const actsForAccount = ([, endpoint]: [string, Endpoint]) =>
  credentialsOf(endpoint).some((kind) => kind === 'owner-session' || kind === 'publishing-key')

test('a program with one scope is refused every operation that is not in it, and none that is', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const reader = await world.reader()
  const tokens = new Map<OAuthScope, string>()
  for (const scope of scopeNames) tokens.set(scope, (await program.connects(reader, { scope })).access_token)
  const counted: Record<string, number> = { never: 0, ...Object.fromEntries(scopeNames.map((name) => [name, 0])) }
  for (const [name, endpoint] of operations.filter(actsForAccount)) {
    // Takes tokens for itself only; what its tools may do is decided by the operations that they call.
    if (endpoint.path === mcpPath) continue
    const opened = scopesOf(name)
    for (const scope of opened.length === 0 ? ['never'] : opened) counted[scope]! += 1
    for (const [scope, token] of tokens) {
      const { statusCode, headers, payload } = await world.server.inject({
        method: endpoint.method,
        url: endpoint.path.replaceAll(/\{\w+\}/g, '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'),
        headers: { authorization: `Bearer ${token}` },
      })
      const title = `${name} with ${scope}: ${statusCode} ${payload.slice(0, 200)}`
      const isRefused = statusCode === 403 && /insufficient[-_]scope/.test(payload)
      equal(isRefused, !opened.includes(scope), title)
      ok(statusCode !== 401 && statusCode < 500, title)
      if (!isRefused) continue
      const challenge = String(headers['www-authenticate'])
      ok(challenge.startsWith('Bearer error="insufficient_scope"'), challenge)
      equal(challenge.includes(' scope="'), opened.length > 0, challenge)
    }
  }
  for (const [scope, count] of Object.entries(counted)) ok(count >= 5, `${scope}: ${count}`)
  await world.runJobs()
})

test('operations with a credential of their own take no token of a program', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const token = (await program.connects(await world.reader(), { scope: scopeNames.join(' ') })).access_token
  const others = operations.filter(
    (operation) => !actsForAccount(operation) && !credentialsOf(operation[1]).includes('none'),
  )
  ok(others.length > 0)
  for (const [name, endpoint] of others) {
    const { statusCode } = await world.server.inject({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{\w+\}/g, '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'),
      headers: { authorization: `Bearer ${token}` },
    })
    equal(statusCode, 401, name)
  }
})

test('what keys, addresses, email, sessions, webhooks, exports and administrators can do is never in a scope', () => {
  const never =
    /key|wallet|email|session|webhook|export|import|subscriber|payoutAddress|admin|giftLink|privateFeed|program/i
  const allowed = ['exportStatistics', 'exportPostStatistics', 'exportTransactions']
  for (const [name, endpoint] of operations.filter(actsForAccount)) {
    if (allowed.includes(name) || (!never.test(name) && endpoint.tag !== 'Administration')) continue
    deepEqual(scopesOf(name), [], name)
  }
  deepEqual(scopesOf('__proto__'), [])
  deepEqual(scopesOf('anOperationOfTomorrow'), [])
})

test('a program does what its person allowed, and sees neither email nor addresses', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world, { client_name: 'Robot' })
  const reader = await world.reader()
  const as = async (scope: string) =>
    new Person(world, nextAddress(), (await program.connects(reader, { scope })).access_token)
  const [publisher, all] = [await as('publish'), await as('read interact earnings publish')]
  const { body: post } = await publisher.calls(createPost, { body: { title: 'By a program' } })
  const shown = await publisher.calls(getPost, { params: { postId: post.id } })
  deepEqual([shown.body.writtenByKey.label, shown.body.writtenByKey.status], ['Robot', 'active'])
  for (const endpoint of [listLibrary, listEarnings]) equal((await all.sends(endpoint, {})).status, 200)
  const me = await all.calls(getMe, {})
  deepEqual(
    [me.body.credential.kind, me.body.credential.scope, me.body.email, me.body.walletAddresses],
    ['program', 'read interact earnings publish', undefined, undefined],
  )
  equal(JSON.stringify(me.body).includes(reader.email), false)
})

test('a program of an administrator is no administrator', async (t) => {
  const world = await oauthWorld(t)
  const program = await Program.registered(world)
  const [admin, author] = [await administrator(world), await payable(await world.creator())]
  const { id } = await comments(author, await publishes(author), 'Hello')
  const { access_token } = await program.connects(admin, { scope: 'interact' })
  const path = `/api/v1/comments/${id}`
  equal((await program.calls(path, access_token, { method: 'DELETE' })).status, 403)
  equal((await program.calls(path, admin.owner.token!, { method: 'DELETE' })).status, 200)
  await world.runJobs()
})
