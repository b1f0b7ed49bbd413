import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { readConfig } from '../../../config.ts'
import { createLog } from '../../../platform/log.ts'
import { createBaseWallet, payWith } from '../../../test/base-wallet.ts'
import { usdcToken } from './payments.fixture.ts'
import { createRemoteFacilitator } from './remote-facilitator.ts'

/** A facilitator that calls everything valid, and the headers of each request to it. */
async function facilitator(t: TestContext, status = 200) {
  const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    seen.push({ path: request.url!, headers: request.headers })
    request.resume()
    response.writeHead(status).end(JSON.stringify(status === 200 ? { isValid: true } : { error: 'unauthorized' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/platform/v2/x402`, seen }
}

/** Verifies a payment through the facilitator that these settings name. */
async function verifies(settings: Record<string, string>) {
  const { base } = readConfig(settings)
  if (base?.settle !== 'remote') throw new Error('not remote')
  const { facilitatorUrl: url, credentials } = base
  const log = createLog('silent')
  const clock = { now: () => new Date() }
  const remote = createRemoteFacilitator({ url, credentials, token: usdcToken, chain: undefined, clock, log })
  const requirements = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: usdcToken.address,
    amount: '250000',
    payTo: createBaseWallet().address,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2', quote: 'token' },
  } as const
  return remote.verify({ payload: await payWith(createBaseWallet(), requirements), requirements })
}

const keyId = 'organizations/0b6f4a52-6a0e-4c3b-9a51-2f7d8c1e9b34/apiKeys/5f0d7a3e-2c41-4b8a-9d16-7e3c0f5b2a91'

/** The secret of a key as the platform shows it. */
function secretOf(privateKey: KeyObject): string {
  if (privateKey.asymmetricKeyType === 'ec') return privateKey.export({ type: 'sec1', format: 'pem' }).toString()
  const { d, x } = privateKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]).toString('base64')
}

test('a facilitator that wants a header gets it with every request, and one that wants none gets none', async (t) => {
  const { url, seen } = await facilitator(t)
  equal((await verifies({ FACILITATOR_URL: url })).kind, 'valid')
  equal((await verifies({ FACILITATOR_URL: url, FACILITATOR_HEADER: 'Authorization: Bearer abc.def' })).kind, 'valid')
  equal((await verifies({ FACILITATOR_URL: url, FACILITATOR_HEADER: 'X-API-Key:secret 1' })).kind, 'valid')
  deepEqual(
    seen.map(({ headers }) => [headers.authorization, headers['x-api-key']]),
    [
      [undefined, undefined],
      ['Bearer abc.def', undefined],
      [undefined, 'secret 1'],
    ],
  )
})

test('with a CDP key each request has a token for its own URL, which the public key verifies', async (t) => {
  const pairs = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  for (const [index, { privateKey, publicKey }] of pairs.entries()) {
    const { url, seen } = await facilitator(t)
    const secret = secretOf(privateKey)
    // Some tools cannot store line breaks.
    for (const CDP_API_KEY_SECRET of [secret, secret.replaceAll('\n', '\\n')])
      equal(
        (await verifies({ FACILITATOR_URL: `${url}/`, CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET })).kind,
        'valid',
        secret,
      )
    const tokens = seen.map(({ headers }) => headers.authorization!.replace('Bearer ', ''))
    const { payload } = await jwtVerify(tokens[0]!, publicKey, { issuer: 'cdp', audience: 'cdp_service' })
    equal(payload.sub, keyId)
    deepEqual(payload.uris, [`POST ${new URL(url).host}/platform/v2/x402/verify`])
    deepEqual([payload.exp! - payload.iat!, payload.nbf], [120, payload.iat])
    ok(Math.abs(payload.iat! - Date.now() / 1000) < 60)
    const header = decodeProtectedHeader(tokens[0]!) as { alg: string; kid: string; typ: string; nonce: string }
    deepEqual([header.alg, header.kid, header.typ], [['EdDSA', 'ES256'][index], keyId, 'JWT'])
    match(header.nonce, /^[0-9a-f]{32}$/)
    notEqual(header.nonce, (decodeProtectedHeader(tokens[1]!) as { nonce?: string }).nonce)
  }
})

test('a facilitator that does not accept our credentials says nothing about the payment', async (t) => {
  for (const status of [401, 403]) {
    const { url } = await facilitator(t, status)
    const verdict = await verifies({ FACILITATOR_URL: url, FACILITATOR_HEADER: 'X-API-Key: wrong' })
    deepEqual(verdict, { kind: 'unavailable', cause: `verify: status ${status}` })
  }
})
