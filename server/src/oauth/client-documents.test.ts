import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { movableClock } from '../platform/clock.ts'
import type { Refused } from '../platform/http/refuse.ts'
import { createClientDocuments } from './client-documents.ts'
import { programSite, redirectUri, type Served } from './oauth.fixture.ts'

type Serve = (id: string, path: string) => Served | undefined

async function open(t: TestContext, serve: Serve, options: { timeoutMs?: number } = {}) {
  const site = await programSite(t, (path, origin) => serve(origin + path, path))
  const clock = await movableClock()
  const documents = createClientDocuments({ clock, allowLoopback: true, certificate: site.certificate, ...options })
  const refusal = async (url: string) =>
    documents.read(url).then(
      () => undefined,
      (error: Refused) => [error.refusal.code, error.message],
    )
  return { ...site, clock, documents, refusal }
}

const json = (value: unknown, headers = {}): Served => ({ body: JSON.stringify(value), headers })

test('a program is described by the document at its id; what we cannot use of it is left out', async (t) => {
  const { origin, documents } = await open(t, (client_id) =>
    json({
      client_id,
      client_name: ' A\u202e \u200bprogram\n',
      redirect_uris: [redirectUri, 'javascript:alert(1)', 'http://evil.example/'],
      token_endpoint_auth_method: 'none',
      logo_uri: 'https://tracker.example/',
    }),
  )
  deepEqual(await documents.read(`${origin}/client.json`), {
    id: `${origin}/client.json`,
    name: 'A program',
    host: new URL(origin).host,
    redirectUris: [redirectUri],
  })
})

test('a document is fetched once for many, and again when it has expired; failures are kept for a minute', async (t) => {
  const { origin, documents, refusal, asked, clock } = await open(t, (client_id, path) =>
    path === '/missing'
      ? undefined
      : json({ client_id, redirect_uris: [redirectUri] }, { 'cache-control': 'public, max-age=7200' }),
  )
  await Promise.all(Array.from({ length: 20 }, () => documents.read(`${origin}/a`)))
  equal(asked.length, 1)
  await clock.advance(7_199_000)
  await documents.read(`${origin}/a`)
  equal(asked.length, 1)
  await clock.advance(1_000)
  await documents.read(`${origin}/a`)
  equal(asked.length, 2)
  for (const _ of [1, 2]) equal((await refusal(`${origin}/missing`))![0], 'unknown-program')
  equal(asked.length, 3)
  await clock.advance(60_000)
  await refusal(`${origin}/missing`)
  equal(asked.length, 4)
})

test('a document that is not one, is of another program or wants a secret is refused', async (t) => {
  const { origin, refusal } = await open(t, (client_id, path) => {
    const good = { client_id, redirect_uris: [redirectUri] }
    const served: Record<string, Served> = {
      '/other': json({ ...good, client_id: 'https://bank.example/client' }),
      '/html': { body: '<!doctype html>' },
      '/list': json([good]),
      '/none': json({ ...good, redirect_uris: [] }),
      '/many': json({ ...good, redirect_uris: Array(51).fill(redirectUri) }),
      '/secret': json({ ...good, token_endpoint_auth_method: 'client_secret_post' }),
      '/key': json({ ...good, token_endpoint_auth_method: 'private_key_jwt' }),
      '/implicit': json({ ...good, response_types: ['token'] }),
      '/moved': { status: 302, headers: { location: '/good' }, body: '' },
      '/large': json({ ...good, filler: 'x'.repeat(20_000) }),
    }
    return served[path]
  })
  for (const path of [
    '/other',
    '/html',
    '/list',
    '/none',
    '/many',
    '/secret',
    '/key',
    '/implicit',
    '/moved',
    '/large',
    '/gone',
  ])
    equal((await refusal(origin + path))?.[0], 'unknown-program', path)
})

test('only a plain https URL with a path is an id, and only public hosts are asked', async (t) => {
  const { origin, refusal, asked } = await open(t, () => undefined)
  const { host } = new URL(origin)
  const bad = [
    `${origin}/`,
    origin,
    `${origin}/a#b`,
    `${origin}/a/../b`,
    `https://user@${host}/a`,
    `https://LOCALHOST:${new URL(origin).port}/a`,
    `${origin}/a b`,
    'https://',
  ]
  for (const url of bad) equal((await refusal(url))?.[0], 'unknown-program', url)
  for (const url of ['https://10.0.0.1/a', 'https://169.254.169.254/latest', 'https://[fd00::1]/a']) {
    const [code, message] = (await refusal(url))!
    equal(code, 'unknown-program')
    ok(message!.includes('public internet'), message)
  }
  deepEqual(asked, [])
  const inProduction = createClientDocuments({ clock: await movableClock(), allowLoopback: false })
  for (const url of [`${origin}/a`, 'https://localhost/a', 'https://127.0.0.1/a', 'https://example.com:8443/a'])
    equal(
      await inProduction.read(url).then(
        () => 'read',
        (error: Refused) => error.refusal.code,
      ),
      'unknown-program',
      url,
    )
})
