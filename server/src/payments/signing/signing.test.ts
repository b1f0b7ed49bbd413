import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { createCheckout } from '@pennypost/contract/checkout'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { saveBasePayoutAddress } from '@pennypost/contract/profiles'
import { paymentProofs } from '@pennypost/contract/x402'
import { tipThroughX402 } from '@pennypost/contract/x402-tips'
import { receiverOf } from '@pennypost/nano/block'
import { presents } from '../../access/x402/buying.fixture.ts'
import { blockFor, order } from '../../access/x402/nano-orders.fixture.ts'
import { readConnectionBudget } from '../../platform/database/connection-budget.ts'
import { SendRefused } from '../../rails/signer/signer.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { createNanoWallet } from '../../test/nano-wallet.ts'
import { asksToBuy, isClean, price, quotes, reads, sells, xno } from '../market.fixture.ts'
import { makeOffer } from '../x402/x402-offer.ts'
import { openSigning } from './open-signing.ts'
import { openAskedMarket, openMarketWithSigner, paysQuote } from './signer.fixture.ts'

test('while the signer is away, Nano is left out of what a post can be paid with, from the first request on', async (t) => {
  const nowhere = 'http://127.0.0.1:1'
  const { world, creator, postId } = await openMarketWithSigner(t, {
    FACILITATOR_URL: nowhere,
    BASE_RPC_URL: nowhere,
    RATES_STATIC: 'XNO=1.25,USDC=1',
  })
  await creator.owner.calls(saveBasePayoutAddress, { body: { payoutAddress: createBaseWallet().address } })
  for (let time = 0; time < 10; time += 1) {
    const { status, body } = await world.stranger().sends(getAccess, { params: { postId } })
    equal(status, 402)
    deepEqual(
      body.accepts.map(({ network }: { network: string }) => network),
      ['eip155:8453'],
    )
    deepEqual(
      body.offers.map(({ asset, status }: { asset: string; status: string }) => [asset, status]),
      [
        ['USDC', 'ready'],
        ['XNO', 'rail_off'],
      ],
    )
    // Now and then a request finds out whether the signer is back.
    await world.advance(2)
  }
})

test('a process without the seed sells while the signer is there, and loses nothing while it is away', async (t) => {
  const market = await openMarketWithSigner(t)
  const { world, signer, buyer, creator, postId, pays, checkAddresses, earnings } = market
  // Nobody has the seed yet: nothing is offered for Nano, and nothing breaks.
  const visitor = world.stranger()
  const tip = { params: { postId }, query: { amount_raw: String(price) } }
  // Often enough that the circuit breaker opens.
  for (let time = 0; time < 10; time += 1) {
    const before = await asksToBuy(buyer, postId)
    equal(before.status, 503, JSON.stringify(before.body))
    const offered = await visitor.sends(getAccess, { params: { postId } })
    equal(offered.status, 503)
    match(offered.body.detail, /^Payments in Nano are not possible at the moment, and nothing else is offered here/)
    ok(Number(offered.headers.get('retry-after')) > 0)
    equal((await visitor.calls(tipThroughX402, tip)).status, 503)
  }
  // An update is not finished automatically while a signer runs, which may be of the previous version.
  const { processes } = await readConnectionBudget(world.services.pool, world.services.config)
  await signer.start()
  equal((await readConnectionBudget(world.services.pool, world.services.config)).processes, processes + 1)
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

test('an order that no address is left for says so, although offers of x402 have addresses left', async (t) => {
  const { world, signer, postId } = await openMarketWithSigner(t)
  await signer.start()
  await world.advance(10)
  const buys = async () =>
    world.stranger().sends(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey: randomUUID() })
  equal((await buys()).status, 201)
  equal((await world.stranger().sends(getAccess, { params: { postId } })).status, 402)
  await signer.stop()
  let reply = await buys()
  for (let time = 0; reply.status === 201; time += 1) {
    ok(time < 200)
    reply = await buys()
  }
  ok(world.services.nano.isOn())
  equal(reply.status, 503)
  match(reply.body.detail, /^Payments in Nano are not possible at the moment\./)
  equal(reply.headers.get('retry-after'), '15')
})

test('a payment presented while the signer is away buys, and its payout waits', async (t) => {
  const market = await openMarketWithSigner(t)
  const { world, signer, postId, earnings } = market
  await signer.start()
  await world.advance(10)
  const visitor = world.stranger()
  const { accepted, payload } = await order(market, visitor)
  const offeredInLists = async () => {
    const { body } = await world.stranger().calls(listPublicPosts, {})
    const { paymentOffers, acceptedRails } = body.data.find(({ id }: { id: string }) => id === postId)
    const inNano = paymentOffers.find(({ asset }: { asset: string }) => asset === 'XNO')
    return [inNano.status, acceptedRails.length]
  }
  deepEqual(await offeredInLists(), ['ready', 1])
  await signer.stop()
  // Until no address is left that was fetched ahead, and nothing is offered for Nano.
  for (let time = 0; world.services.nano.isOn(); time += 1) {
    ok(time < 200)
    await world.stranger().calls(getAccess, { params: { postId } })
  }
  deepEqual(await offeredInLists(), ['rail_off', 0])
  const paid = await presents(visitor, postId, accepted, payload)
  equal(paid.status, 200, JSON.stringify(paid.body))
  equal(await earnings.receives(), 0n)
  await signer.start()
  await market.later(10)
  equal(await earnings.receives(), (price * 95n) / 100n)
  await isClean(market)
})

test('an offer of another process counts as a proof once, before the signer is asked for its address', async (t) => {
  const market = await openMarketWithSigner(t)
  const { world, signer, postId, earnings } = market
  const { services } = world
  await signer.start()
  await world.advance(10)
  const { addresses } = await openSigning(services)
  const recipients = { XNO: earnings.address, USDC: null }
  const offered = () =>
    makeOffer({ ...services, addresses }, { purpose: 'access', postId, recipients }, 'XNO', String(price))
  const visitor = world.stranger()
  for (let time = 1; time < paymentProofs.max; time += 1)
    equal((await presents(visitor, postId, await offered(), {})).status, 400)
  const accepted = await offered()
  const block = await blockFor(market, accepted.payTo, price)
  equal((await presents(visitor, postId, accepted, { block })).status, 200)
  // What is known already costs the signer nothing.
  equal((await presents(visitor, postId, accepted, { block })).status, 200)
  await signer.stop()
  equal((await presents(visitor, postId, await offered(), {})).status, 429)
  // Nor does what was paid, at a process that has just been started.
  Object.assign(services, { addresses: (await openSigning(services)).addresses })
  equal((await presents(visitor, postId, accepted, { block })).status, 200)
})

test('no transaction waits for a signer that does not reply', async (t) => {
  const market = await openMarketWithSigner(t)
  const { world, signer, buyer, creator, postId } = market
  await signer.start()
  await world.advance(10)
  await quotes(buyer, postId)
  await signer.stop()
  const silent = createServer()
  await once(silent.listen(Number(new URL(signer.url).port), '127.0.0.1'), 'listening')
  // None that was fetched ahead is left.
  world.services.addressRun.addresses += 1_000
  const asked = once(silent, 'connection')
  const purchase = asksToBuy(buyer, await sells(creator))
  const [connection] = await asked
  const { rows } = await world.services.pool.query(
    `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
  )
  equal(rows[0].open, 0)
  connection.destroy()
  silent.close()
  equal((await purchase).status, 503)
})

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
  await refuses(/no payout matches this send/, [['nano_sends', creator.id, 'amount', less]])
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
