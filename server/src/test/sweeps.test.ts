import { equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { contract, developmentContract, siteContract } from '@pennypost/contract/contract'
import type { Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { issueKey, revokeKey } from '@pennypost/contract/keys'
import { logOut, refreshSession } from '@pennypost/contract/sessions'
import type { InjectOptions } from 'fastify'
import { checkoutSecret } from '../accounts/checkout-secret.ts'
import { pollSecret } from '../accounts/wallets/wallet-login-secrets.ts'
import { cacheControl } from '../platform/http/cache-control.ts'
import { hasAnvil } from './base-chain.ts'
import { nextAddress, Person } from './person.ts'
import { createWorld, type World } from './world.ts'

// Rules that every operation must follow, checked on every operation.

// Without anvil the test world has no chain that could be read.
const operations: [string, Endpoint][] = Object.entries({
  ...contract,
  ...siteContract,
  ...developmentContract,
}).filter(([name]) => hasAnvil || name !== 'readBaseChain')
const someId = '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'
const urlOf = (endpoint: Endpoint) => endpoint.path.replaceAll(/\{\w+\}/g, someId)
const takesJson = (endpoint: Endpoint) =>
  endpoint.method !== 'GET' && !(endpoint.request?.body && 'kind' in endpoint.request.body)

async function send(world: World, endpoint: Endpoint, options: Partial<InjectOptions>) {
  const reply = await world.server.inject({
    method: endpoint.method,
    url: urlOf(endpoint),
    ...options,
  } as InjectOptions)
  return {
    status: reply.statusCode,
    type: String(reply.headers['content-type'] ?? ''),
    text: reply.payload,
    headers: reply.headers,
  }
}

function isInFamily(name: string, endpoint: Endpoint, reply: { status: number; type: string; text: string }): void {
  ok(reply.status >= 400 && reply.status < 500, `${name}: ${reply.status} ${reply.text.slice(0, 200)}`)
  if (endpoint.errors === 'page') {
    ok(reply.type.startsWith('text/html'), `${name}: ${reply.type}`)
    ok(reply.text.includes('<main id="main">'), name)
    return
  }
  const body = JSON.parse(reply.text)
  if (endpoint.errors === 'oauth') {
    ok(reply.type.startsWith('application/json'), `${name}: ${reply.type}`)
    ok(/^[a-z_]+$/.test(body.error) && typeof body.error_description === 'string', `${name}: ${reply.text}`)
  } else if (endpoint.errors === 'problem') {
    ok(reply.type.startsWith('application/problem+json'), `${name}: ${reply.type}`)
    equal(body.status, reply.status, name)
  } else {
    ok(reply.type.startsWith('application/json'), `${name}: ${reply.type}`)
    equal(body.statusCode, reply.status, name)
  }
}

const hostileBodies: [string, string][] = [
  ['malformed', '{"a":'],
  ['a text', '"text"'],
  ['a list', '[1,2,3]'],
  ['an unknown field', '{"nobodyKnowsThisField":1}'],
  ['__proto__', '{"__proto__":{"a":1}}'],
  ['NUL', '{"\\u0000":"\\u0000"}'],
  ['a lone surrogate', '{"a":"\\ud83d"}'],
  ['deep nesting', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['oversized', JSON.stringify({ a: 'x'.repeat(3 * 1024 * 1024) })],
]

/** A valid token for each kind of credential. */
async function workingTokens(world: World): Promise<Record<Exclude<Credential, 'none'>, string>> {
  const { owner, publisher } = await world.creator()
  return {
    'owner-session': owner.token!,
    'publishing-key': publisher.token!,
    'poll-secret': pollSecret.of(world.services.secrets, someId),
    'checkout-credential': checkoutSecret.of(world.services.secrets, someId),
  }
}

const authorization = (endpoint: Endpoint, tokens: Awaited<ReturnType<typeof workingTokens>>) => {
  const kind = credentialsOf(endpoint).find((credential) => credential !== 'none')
  return kind ? { authorization: `Bearer ${tokens[kind]}` } : {}
}

test('every response that may contain tokens is private', () => {
  const secrets = ['accessToken', 'refreshToken', 'loginSecret', 'pollSecret', 'checkoutCredential', 'key']
  const namesIn = (schema: unknown): string[] => {
    const { shape, element, unwrap } = schema as { shape?: object; element?: unknown; unwrap?: () => unknown }
    const inner = unwrap ? unwrap.call(schema) : element
    if (inner) return namesIn(inner)
    return Object.entries(shape ?? {}).flatMap(([name, part]) => [name, ...namesIn(part)])
  }
  const carriers = operations.filter(([, { replies }]) =>
    Object.values(replies).some((reply) => namesIn(reply).some((name) => secrets.includes(name))),
  )
  ok(carriers.length >= 12, carriers.map(([name]) => name).join())
  for (const [name, endpoint] of carriers) equal(cacheControl(endpoint), 'private, no-store', name)
})

test('every operation with a body refuses hostile ones in its own error format', async (t) => {
  const world = await createWorld(t)
  const tokens = await workingTokens(world)
  for (const [name, endpoint] of operations.filter(([, found]) => takesJson(found))) {
    for (const [what, payload] of hostileBodies) {
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': someId,
        ...authorization(endpoint, tokens),
      }
      const reply = await send(world, endpoint, { payload, headers })
      isInFamily(`${name}, ${what}`, endpoint, reply)
    }
    isInFamily(
      `${name}, other media type`,
      endpoint,
      await send(world, endpoint, { payload: 'a=1', headers: { 'content-type': 'text/plain' } }),
    )
  }
})

test('every operation that takes bytes or a form refuses an empty body, with every media type', async (t) => {
  const world = await createWorld(t)
  const tokens = await workingTokens(world)
  const takers = operations.filter(([, { request }]) => request?.body && 'kind' in request.body)
  ok(takers.length >= 6, takers.map(([name]) => name).join())
  for (const [name, endpoint] of takers)
    for (const type of [undefined, 'application/octet-stream', 'multipart/form-data; boundary=x', 'application/json']) {
      const headers = {
        'content-length': '0',
        ...(type && { 'content-type': type }),
        ...authorization(endpoint, tokens),
      }
      isInFamily(`${name}, empty ${type}`, endpoint, await send(world, endpoint, { headers }))
    }
})

test('every operation survives hostile queries, ids and headers', async (t) => {
  const world = await createWorld(t)
  const tokens = await workingTokens(world)
  const queries = [
    '?a=%00',
    '?q=%ff',
    '?page=99999999999999999999',
    `?x=${'a'.repeat(8000)}`,
    '?__proto__=1',
    '?a[b]=1',
    '?&&==',
    '?handle=%ED%A0%80',
  ]
  for (const [name, endpoint] of operations) {
    for (const query of queries) {
      const { status } = await send(world, endpoint, {
        url: urlOf(endpoint) + query,
        headers: authorization(endpoint, tokens),
      })
      ok(status < 500, `${name}${query}: ${status}`)
    }
    if (!endpoint.path.includes('{')) continue
    for (const id of [
      '%00',
      '..',
      '%2e%2e%2f',
      'a'.repeat(250),
      'a'.repeat(400),
      '-'.repeat(36),
      'f'.repeat(36),
      '%F0%9F%92%A9',
      "'",
      '0',
    ]) {
      const url = endpoint.path.replaceAll(/\{\w+\}/g, id)
      const { status } = await send(world, endpoint, { url, headers: authorization(endpoint, tokens) })
      ok(status < 500, `${name} with id ${id}: ${status}`)
    }
  }
})

test('every path refuses unsupported methods with 405 and Allow', async (t) => {
  const world = await createWorld(t)
  for (const [name, endpoint] of operations) {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'].filter(
      (method) => !operations.some(([, { path, method: has }]) => path === endpoint.path && has === method),
    )
    for (const method of others) {
      const reply = await send(world, endpoint, { method: method as 'GET' })
      equal(reply.status, 405, `${method} ${name}`)
      ok(String(reply.headers.allow).includes(endpoint.method))
      isInFamily(name, endpoint, reply)
    }
  }
})

test('every operation that needs a credential refuses a missing, wrong, ended, expired or different kind of one', async (t) => {
  const world = await createWorld(t)
  const tokens = await workingTokens(world)
  const leaver = await world.creator()
  const brief = await leaver.owner.calls(issueKey, {
    body: { expiresAt: new Date(world.services.clock.now().getTime() + 1000).toISOString() },
  })
  const revoked = await leaver.owner.calls(issueKey, { body: {} })
  await leaver.owner.calls(revokeKey, { params: { keyId: revoked.body.apiKey.id } })
  await leaver.owner.calls(logOut, {})
  const expiring = await world.reader()
  await world.advance(3600)
  // The first tokens have expired by now, so get new ones. The old ones are tried below.
  const fresh = await world.creator()
  const good = {
    'owner-session': fresh.owner.token!,
    'publishing-key': fresh.publisher.token!,
    'poll-secret': tokens['poll-secret'],
    'checkout-credential': tokens['checkout-credential'],
  }

  const wrong: [string, string | undefined][] = [
    ['none', undefined],
    ['another scheme', `Basic ${good['owner-session']}`],
    ['nonsense', 'Bearer nonsense'],
    ['an ended session', `Bearer ${leaver.owner.token}`],
    ['an expired session', `Bearer ${expiring.owner.token}`],
    ['an expired session of a creator', `Bearer ${tokens['owner-session']}`],
    ['a refresh token', `Bearer ${fresh.pair.refreshToken}`],
    ['a registration id', `Bearer ${randomUUID()}`],
    ['an expired key', `Bearer ${brief.body.key}`],
    ['a revoked key', `Bearer ${revoked.body.key}`],
  ]
  for (const [name, endpoint] of operations) {
    const kinds = credentialsOf(endpoint)
    if (kinds.includes('none')) continue
    const others = (Object.keys(good) as (keyof typeof good)[]).filter((kind) => !kinds.includes(kind))
    for (const [what, header] of [...wrong, ...others.map((kind) => [kind, `Bearer ${good[kind]}`] as const)]) {
      const reply = await send(world, endpoint, { headers: header === undefined ? {} : { authorization: header } })
      equal(reply.status, 401, `${name} with ${what}: ${reply.status} ${reply.text}`)
      equal(reply.headers['www-authenticate'], 'Bearer')
      equal(reply.headers['cache-control'], 'private, no-store', name)
      isInFamily(`${name} with ${what}`, endpoint, reply)
    }
    for (const kind of kinds) {
      const reply = await send(world, endpoint, {
        headers: { authorization: `Bearer ${good[kind as keyof typeof good]}` },
      })
      ok(reply.status !== 401, `${name} with ${kind}: ${reply.text}`)
      equal(reply.headers['cache-control']?.includes('no-store'), true, name)
    }
    if (endpoint.path === '/api/v1/auth/logout') {
      const renewed = await new Person(world, nextAddress()).calls(refreshSession, {
        body: { refreshToken: fresh.pair.refreshToken },
      })
      equal(renewed.status, 401)
      good['owner-session'] = (await world.reader()).owner.token!
    }
  }
  await world.runJobs()
})
