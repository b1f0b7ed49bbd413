import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getLeaderboard } from '@pennypost/contract/discovery'
import { createNanoWallet } from '../test/nano-wallet.ts'
import type { Reader } from '../test/people.ts'
import { checkOwnPayment } from './finance/check-own-payment.job.ts'
import { isClean, type Market, openMarket, price, quotes, savesAddress, sells, tips, xno } from './market.fixture.ts'
import { receiveArrivals } from './receive-arrivals.ts'

/** What an account has on a board, or undefined if it is not there. */
async function boardValue(
  { world }: Market,
  board: 'creators_earnings' | 'supporters' | 'creators_sales',
  who: Reader,
) {
  const { body } = await world.stranger().calls(getLeaderboard, { query: { board } })
  const row = body.items.find(({ profile }: { profile: { id: string } }) => profile.id === who.accountId)
  return row?.valueRaw ?? row?.value
}

test('money that the author sent to the payer does not count on leaderboards, nor does that of a linked wallet', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, network, earnings, wallet, world, pays, checkAddresses } = market
  await pays((await tips(buyer, postId, 4n * xno)).address, 4n * xno)
  await checkAddresses()
  equal(await boardValue(market, 'creators_earnings', creator), String(4n * xno))
  equal(await boardValue(market, 'supporters', buyer), String(4n * xno))

  // The author's money goes to a second wallet, which tips the author.
  await earnings.receives()
  const second = createNanoWallet(network)
  await network.untilConfirmed(await earnings.sends(second.address, 3n * xno))
  await second.receives()
  const { address } = await tips(buyer, postId, 3n * xno)
  await network.untilConfirmed(await second.sends(address, 3n * xno))
  await checkAddresses()
  equal(await boardValue(market, 'creators_earnings', creator), String(4n * xno))
  equal(await boardValue(market, 'supporters', buyer), String(4n * xno))

  // The buyer's wallet turns out to be the author's: what it pays from now on does not count.
  await world.services.pool.query(
    `INSERT INTO wallets (kind, address, account_id, linked_at) VALUES ('nano', $1, $2, now())`,
    [wallet.address, creator.accountId],
  )
  await pays((await quotes(buyer, postId)).address, price)
  await checkAddresses()
  equal(await boardValue(market, 'creators_sales', creator), undefined)
  equal(await boardValue(market, 'creators_earnings', creator), String(4n * xno))
  await isClean(market)
})

test('what two accounts pay each other counts as far as one paid more', async (t) => {
  const market = await openMarket(t)
  const { creator, postId, world, pays, checkAddresses, network } = market
  const other = await world.creator()
  await savesAddress(other, createNanoWallet(network).address)
  const otherPost = await sells(other)
  const values = async () =>
    Promise.all(
      (['creators_earnings', 'supporters'] as const).flatMap((board) => [
        boardValue(market, board, creator),
        boardValue(market, board, other),
      ]),
    )
  const inXno = async () => (await values()).map((value) => (value === undefined ? 0 : Number(BigInt(value) / xno)))
  await pays((await tips(other, postId, 2n * xno)).address, 2n * xno)
  await checkAddresses()
  deepEqual(await inXno(), [2, 0, 0, 2])
  await pays((await tips(creator, otherPost, 2n * xno)).address, 2n * xno)
  await checkAddresses()
  deepEqual(await inXno(), [0, 0, 0, 0])
  await pays((await tips(creator, otherPost, 3n * xno)).address, 3n * xno)
  await checkAddresses()
  deepEqual(await inXno(), [0, 3, 3, 0])
  // Checking an order twice changes nothing.
  const { rows } = await world.services.pool.query('SELECT order_id FROM own_payment_checks')
  for (const { order_id: orderId } of rows) await checkOwnPayment.run(world.services, { orderId })
  deepEqual(await inXno(), [0, 3, 3, 0])
  await isClean(market)
})

test('beyond the first, the payouts of one payer come after those of others', async (t) => {
  // Nobody watches the addresses, so that nothing is sent before everything has arrived.
  const { buyer, postId, world, pays, network } = await openMarket(t, { isBlind: true })
  const orders = []
  for (let count = 0; count < 6; count += 1) orders.push(await tips(buyer, postId, xno))
  orders.push(await tips(await world.reader(), postId, xno))
  for (const { address } of orders) await pays(address, xno)
  for (const { address } of orders) await receiveArrivals(world.services, address, undefined)
  const { rows } = await world.services.pool.query(
    `SELECT name, count(*)::int AS jobs FROM jobs WHERE name LIKE 'move-%nano-address' GROUP BY 1 ORDER BY 1`,
  )
  deepEqual(rows, [
    { name: 'move-crowded-nano-address', jobs: 2 },
    { name: 'move-nano-address', jobs: 5 },
  ])
  await world.runJobs()
  await isClean({ world, network })
})
