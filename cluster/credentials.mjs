// Every operation with every wrong credential, over HTTP through HAProxy: credentials that one process has ended must be
// refused by all others.
import { equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createClient, send } from '../contract/dist/client.js'
import { contract, siteContract } from '../contract/dist/contract.js'
import { credentialsOf } from '../contract/dist/endpoint.js'
import { fetchFrom, register } from './people.mjs'

const someId = '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'
const guarded = Object.entries({ ...contract, ...siteContract }).filter(
  ([, endpoint]) => !credentialsOf(endpoint).includes('none'),
)

/** Tries all of them. Returns how many requests were refused. */
export async function refuseWrongCredentials(cluster) {
  const good = await goodTokens(cluster)
  const wrong = await wrongHeaders(cluster, good)
  let refused = 0
  for (const [name, endpoint] of guarded) {
    const kinds = credentialsOf(endpoint)
    const others = Object.keys(good.tokens).filter((kind) => !kinds.includes(kind))
    for (const [what, authorization] of [...wrong, ...others.map((kind) => [kind, `Bearer ${good.tokens[kind]}`])]) {
      const reply = await ask(cluster, endpoint, authorization)
      equal(reply.status, 401, `${name} with ${what}: ${reply.status} ${reply.text}`)
      equal(reply.headers.get('www-authenticate'), 'Bearer', name)
      equal(reply.headers.get('cache-control'), 'private, no-store', name)
      refused += 1
    }
    // Only what changes nothing, or the tokens would end on the way.
    if (endpoint.method !== 'GET') continue
    for (const kind of kinds.filter((each) => each in good.tokens)) {
      const reply = await ask(cluster, endpoint, `Bearer ${good.tokens[kind]}`)
      ok(reply.status !== 401 && reply.status < 500, `${name} with ${kind}: ${reply.status} ${reply.text}`)
    }
  }
  return refused
}

async function goodTokens(cluster) {
  const { tokens, key, session } = await register(cluster, 'Gus')
  return {
    session,
    refreshToken: tokens.refreshToken,
    tokens: { 'owner-session': tokens.accessToken, 'publishing-key': key },
  }
}

async function wrongHeaders(cluster, { session, refreshToken, tokens }) {
  const revoked = (await session.issueKey({ idempotencyKey: randomUUID(), body: { label: 'Revoked' } })).body
  await session.revokeKey({ params: { keyId: revoked.apiKey.id } })
  const leaver = await register(cluster, 'Hal')
  await leaver.session.logOut({})
  // Another process may have the refreshed session in its memory.
  const renewed = await register(cluster, 'Ivy')
  const fetch = fetchFrom()
  const body = { refreshToken: renewed.tokens.refreshToken }
  const { body: pair } = await send(contract.refreshSession, { body }, { baseUrl: cluster.origin, fetch })
  await createClient(contract, { baseUrl: cluster.origin, token: pair.accessToken, fetch }).logOut({})
  return [
    ['none', undefined],
    ['another scheme', `Basic ${tokens['owner-session']}`],
    ['nonsense', 'Bearer nonsense'],
    ['an ended session', `Bearer ${leaver.tokens.accessToken}`],
    ['a renewed session that ended', `Bearer ${pair.accessToken}`],
    ['a refresh token', `Bearer ${refreshToken}`],
    ['an id', `Bearer ${randomUUID()}`],
    ['a revoked key', `Bearer ${revoked.key}`],
  ]
}

/** Each request comes from another address, because wrong credentials are limited by address. */
async function ask({ origin }, endpoint, authorization) {
  const reply = await fetchFrom()(origin + endpoint.path.replaceAll(/\{\w+\}/g, someId), {
    method: endpoint.method,
    headers: authorization === undefined ? {} : { authorization },
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  const { status, headers } = reply
  const isStream = headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? await reply.body.cancel() : (await reply.text()).slice(0, 200)
  return { status, headers, text }
}
