import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { signNextBlock } from '../../rails/nano/custody/blocks.ts'
import { NodeUnreachable, SignerAway } from '../../rails/node-errors.ts'
import { SignatureWaits } from '../../rails/signer/signer.ts'
import { connectSigner } from '../../rails/signer/signer-client.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { isClean, openMarket, price, quotes, reads, savesAddress, sells } from '../market.fixture.ts'
import { limits, openAskedMarket, openMarketWithSigner, paysQuote, signerSecret } from './signer.fixture.ts'

test('the signer answers who has its secret, and only what it is for', async (t) => {
  const { signer, world } = await openMarketWithSigner(t)
  const { clock, log } = world.services
  await signer.start()
  const asks = (path: string, body: unknown, secret = signerSecret) =>
    fetch(`${signer.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  for (const path of ['/status', '/addresses', '/nano/blocks', '/base/transactions'])
    equal((await asks(path, {}, `${signerSecret.slice(0, -1)}x`)).status, 401, path)
  await rejects(connectSigner({ url: signer.url, secret: 'x'.repeat(40) }, { clock, log }).status(), /SIGNER_SECRET/)
  const wrong: [string, unknown][] = [
    ['/addresses', {}],
    ['/addresses', { derivations: Array.from({ length: 101 }, () => ({ id: '0', derivation: 'x' })) }],
    ['/addresses', '{'],
    ['/nano/blocks', { addressId: '1; DROP TABLE' }],
    ['/nano/blocks', { addressId: '1', work: 'x' }],
    ['/base/transactions', { to: 'x' }],
    ['/addresses', { derivations: 'x'.repeat(300_000) }],
  ]
  for (const [path, body] of wrong) equal((await asks(path, body)).status, 400, JSON.stringify(body).slice(0, 80))
  for (const path of ['/seed', '/keys', '/api/v1/posts', '/nano/sign']) equal((await asks(path, {})).status, 404, path)
  deepEqual(await (await asks('/nano/blocks', { addressId: '999999' })).json(), { kind: 'nothing' })
  const transaction = {
    to: `0x${'1'.repeat(40)}`,
    data: '0x',
    gas: '1',
    maxFeePerGas: '1',
    maxPriorityFeePerGas: '1',
    nonce: 0,
  }
  match(await (await asks('/base/transactions', transaction)).text(), /BASE_SETTLER_KEY/)
})

test('who connects to the signer and says nothing, or half of something, is disconnected within seconds', async (t) => {
  const { signer } = await openMarketWithSigner(t)
  await signer.start()
  const port = Number(new URL(signer.url).port)
  const half = `POST /status HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${signerSecret}\r\ncontent-length: 9\r\n\r\n{`
  await Promise.all(
    ['', half].map(async (text) => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.write(text)
      socket.resume()
      // Well before the 60 seconds of an idle connection. Busy machines are slow.
      await once(socket, 'close', { signal: AbortSignal.timeout(25_000) })
    }),
  )
})

test('a signer that does not answer, or stops in the middle, is away', { timeout: 60_000 }, async (t) => {
  const silent = createServer((request, response) => {
    if (request.url !== '/status') response.write('{')
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const signer = connectSigner({ url, secret: signerSecret }, { clock: systemClock(), log: createLog('silent') })
  // Its status says the cause.
  await Promise.all([rejects(signer.status(), NodeUnreachable), rejects(signer.addressesOf([]), SignerAway)])
})

test('when the amount of an hour is reached, payouts wait for the next hour, also after a restart', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world, buyer, creator, pays, checkAddresses, earnings, passes } = market
  const net = (price * 95n) / 100n
  const hour = { perHour: { XNO: net + net / 2n, USDC: undefined } } as never
  const msLeft = 3_600_000 - (world.services.clock.now().getTime() % 3_600_000)
  // Not at the end of an hour.
  if (msLeft < 600_000) await passes(1_200)
  limits(market, hour)
  const orders: { id: string; address: string }[] = []
  for (const postId of [market.postId, await sells(creator)]) {
    const order = await quotes(buyer, postId)
    await pays(order.address, price)
    orders.push(order)
    await checkAddresses()
  }
  const states = () => Promise.all(orders.map(async ({ id }) => (await reads(buyer, id)).status))
  deepEqual(await states(), ['paid', 'received'])
  // The buyer of the second can read. A new process knows what the old one has signed.
  limits(market, hour)
  await passes(60)
  deepEqual(await states(), ['paid', 'received'])
  await passes(3_600)
  await market.later(60)
  deepEqual(await states(), ['paid', 'paid'])
  equal(await earnings.receives(), 2n * net)
  await isClean(market)
})

test('authors are paid at listed addresses only, and at new addresses after a while, if the operator wants it', async (t) => {
  const market = await openAskedMarket(t)
  const { world, creator, earnings, network } = market
  const { services } = world
  const addressId = await paysQuote(market)
  const signsNext = () => signNextBlock(services, addressId)
  equal((await signsNext())!.send_id, null)
  limits(market, { destinations: [createNanoWallet(network).address] })
  await rejects(signsNext(), SignatureWaits)
  limits(market, { destinations: [earnings.address], addressDelayMs: 600_000 })
  await rejects(signsNext(), /SIGNER_ADDRESS_DELAY/)
  await world.advance(500)
  await rejects(signsNext(), /SIGNER_ADDRESS_DELAY/)
  await world.advance(200)
  ok((await signsNext())!.send_id)
  // An address that was replaced before it was paid: the author decides.
  const another = await paysQuote(market, price, await sells(creator))
  equal((await signNextBlock(services, another))!.send_id, null)
  await savesAddress(creator, createNanoWallet(network).address)
  limits(market, { addressDelayMs: 600_000 })
  await world.runJobs()
  const { rows } = await services.pool.query(
    'SELECT role, state, blocked_reason FROM payouts WHERE address_id = $1 ORDER BY role',
    [another],
  )
  deepEqual(
    rows.map(({ role, state }) => [role, state]),
    [
      ['creator', 'blocked'],
      ['house', 'confirmed'],
    ],
  )
  match(rows[0].blocked_reason, /saved another address/)
})
