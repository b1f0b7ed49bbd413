import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { receiverOf } from '@pennypost/nano/block'
import { createMetrics } from '../../platform/metrics.ts'
import { signNextBlock } from '../../rails/nano/custody/blocks.ts'
import { keyringFrom } from '../../rails/nano/custody/keyring.ts'
import { SendRefused, SignatureWaits } from '../../rails/signer/signer.ts'
import { connectSigner } from '../../rails/signer/signer-client.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import {
  asksToBuy,
  isClean,
  type Market,
  openMarket,
  price,
  quotes,
  reads,
  savesAddress,
  sells,
  xno,
} from '../market.fixture.ts'
import { receiveArrivals } from '../receive-arrivals.ts'
import { createLocalSigner, type LocalSignerParts } from './local-signer.ts'
import { openMarketWithSigner, signerSecret } from './signer.fixture.ts'

test('a process without the seed sells while the signer is there, and loses nothing while it is away', async (t) => {
  const market = await openMarketWithSigner(t)
  const { world, signer, buyer, creator, postId, pays, checkAddresses, earnings } = market
  // Nobody has the seed yet: nothing is offered for Nano, and nothing breaks.
  const before = await asksToBuy(buyer, postId)
  equal(before.status, 503, JSON.stringify(before.body))
  equal((await world.stranger().calls(getAccess, { params: { postId } })).status, 503)
  await signer.start()
  await world.advance(10)
  const first = await quotes(buyer, postId)
  await pays(first.address, price)
  await checkAddresses()
  equal((await reads(buyer, first.id)).status, 'paid')
  const offered = await world.stranger().calls(getAccess, { params: { postId } })
  equal(offered.body.accepts.length, 1)
  const addresses = new Set([first.address, offered.body.accepts[0].payTo])
  // Away: addresses that were fetched ahead are given out, a buyer who pays can read, and the payout waits.
  await signer.stop()
  const second = await quotes(buyer, await sells(creator))
  await pays(second.address, price)
  await checkAddresses()
  equal((await reads(buyer, second.id)).status, 'received')
  addresses.add(second.address)
  equal(addresses.size, 3)
  await signer.start()
  await world.advance(10)
  await checkAddresses()
  equal((await reads(buyer, second.id)).status, 'paid')
  equal(await earnings.receives(), 2n * ((price * 95n) / 100n))
  await isClean(market)
})

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

/** A market, and how a signer that others ask signs in it. */
async function openAskedMarket(t: TestContext) {
  const market = await openMarket(t, { isBlind: true, isolation: 'own' })
  const { services } = market.world
  const keyring = keyringFrom(services.config.nano.seed!)
  const signs = (addressId: string, keys = keyring) => {
    const signer = createLocalSigner({ ...services, metrics: createMetrics(), keyring: keys, isAsked: true })
    return signNextBlock({ ...services, signer }, addressId)
  }
  return { ...market, keyring, signs }
}

/** Pays a new quote. Its money is noticed, and nothing is signed yet. Returns the id of its address. */
async function paysQuote({ world, buyer, pays, network, ...market }: Market, amount = price, postId = market.postId) {
  const { address } = await quotes(buyer, postId)
  await network.untilConfirmed(await pays(address, amount))
  await receiveArrivals(world.services, address, undefined)
  const { rows } = await world.services.pool.query('SELECT id FROM nano_addresses WHERE address = $1', [address])
  return rows[0].id as string
}

/** A change to one row that only an intruder makes. */
type Lie = readonly [table: string, key: string, column: string, value: string]

test('what the database says wrongly is not signed, and commission goes to the house', async (t) => {
  const market = await openAskedMarket(t)
  const { world, network, signs, keyring } = market
  const { pool } = world.services
  const thief = createNanoWallet(network).address
  const addressId = await paysQuote(market, price + xno)
  // The receive needs no permission.
  const received = (await signs(addressId))!
  equal(received.send_id, null)
  const [creator, refund, house] = (
    await pool.query('SELECT id, amount FROM nano_sends WHERE address_id = $1 ORDER BY number', [addressId])
  ).rows
  const keyOf = (table: string) => (/blocks|arrivals/.test(table) ? 'hash' : 'id')
  const tells = async ([table, key, column, value]: Lie): Promise<Lie> => {
    const { rows } = await pool.query(`SELECT ${column} AS truth FROM ${table} WHERE ${keyOf(table)} = $1`, [key])
    await pool.query(`UPDATE ${table} SET ${column} = $2 WHERE ${keyOf(table)} = $1`, [key, value])
    return [table, key, column, rows[0].truth]
  }
  const refuses = async (reason: RegExp, lies: readonly Lie[]) => {
    const truths: Lie[] = []
    for (const lie of lies) truths.push(await tells(lie))
    await rejects(signs(addressId), reason)
    for (const truth of truths) await tells(truth)
  }
  const both = (id: string, column: string, value: string): Lie[] => [
    ['nano_sends', id, column, value],
    ['payouts', id, column, value],
  ]
  const less = String(BigInt(creator.amount) - 1n)
  await refuses(/owed to another address/, [['nano_sends', creator.id, 'destination', thief]])
  await refuses(/not paid at this address/, both(creator.id, 'destination', thief))
  await refuses(/nothing like it is owed/, [['nano_sends', creator.id, 'amount', less]])
  await refuses(/of another amount/, both(creator.id, 'amount', less))
  // The balance before a send decides how much it sends.
  await refuses(/was changed in the database/, [['nano_blocks', received.hash, 'balance', creator.amount]])
  // The house's own address holds what was earned, and never sends.
  await rejects(signs(addressId, { ...keyring, house: received.block.account }), SendRefused)
  equal((await signs(addressId))!.send_id, creator.id)
  await refuses(/sent by another address/, both(refund.id, 'destination', thief))
  const { rows } = await pool.query('SELECT hash FROM nano_arrivals WHERE address_id = $1', [addressId])
  const forged: Lie = ['nano_arrivals', rows[0].hash, 'source', thief]
  await refuses(/chain shows another sender/, [...both(refund.id, 'destination', thief), forged])
  equal((await signs(addressId))!.send_id, refund.id)
  for (const lie of both(house.id, 'destination', thief)) await tells(lie)
  equal(receiverOf((await signs(addressId))!.block), keyring.house)
  equal(await signs(addressId), undefined)
  await world.runJobs()
  await isClean(market)
})

/** Replaces the signer of a world by one with these limits. */
function limits({ world }: Market, signer: Partial<LocalSignerParts['config']['signer']>): void {
  const { services } = world
  const config = { ...services.config, signer: { ...services.config.signer, ...signer } }
  const keyring = keyringFrom(services.config.nano.seed!)
  const limited = createLocalSigner({ ...services, config, metrics: createMetrics(), keyring, isAsked: false })
  Object.assign(services, { signer: limited })
}

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
