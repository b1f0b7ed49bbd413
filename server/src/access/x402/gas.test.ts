import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { hasAnvil } from '../../test/base-chain.ts'
import { type BaseWallet, createTrickWallet } from '../../test/base-wallet.ts'
import type { Person } from '../../test/person.ts'
import { presents } from './buying.fixture.ts'
import {
  buys,
  isClean,
  openUsdcMarket,
  sellsForUsdc,
  stranger,
  type UsdcMarket,
  usdcPrice,
} from './usdc-market.fixture.ts'

const skip = !hasAnvil

/** Signs for the post and presents it: the status, the x402 reason, and how many transactions we have made by then. */
async function tries(market: UsdcMarket, wallet: BaseWallet, person: Person = market.world.stranger()) {
  const { accepted, payload } = await market.order(person, wallet)
  const { status, body } = await presents(person, market.postId, accepted, payload)
  return [status, body.error, await transactionsOf(market)]
}

const transactionsOf = async ({ world }: UsdcMarket): Promise<number> =>
  (await world.services.pool.query('SELECT count(*)::int AS count FROM usdc_transactions')).rows[0].count

/** Moves the failures of a payer into the past. What they signed has expired by then. */
const age = ({ world }: UsdcMarket, payer: string, interval: string) =>
  world.services.pool.query(
    `UPDATE x402_payments SET reverted_at = reverted_at - $2::interval, state = 'failed', failure = 'expired',
       is_final = true WHERE payer = $1 AND state <> 'settled'`,
    [payer, interval],
  )

test('a wallet that is honest only where gas has no price costs us nothing', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const wallet = await createTrickWallet(market.chain, { seesPrice: true })
  await market.chain.mint(wallet.address, usdcPrice)
  const before = await transactionsOf(market)
  const [status, reason, after] = await tries(market, wallet)
  deepEqual([status, after], [402, before])
  ok(String(reason).startsWith('invalid_exact_evm'))
})

test('a smart wallet that made one payment fail is found out, and remembered for thirty days', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const node = await stranger(t, market, 10_000)
  const wallet = await createTrickWallet(market.chain, { seesPrice: false })
  await market.chain.mint(wallet.address, usdcPrice)
  const before = await transactionsOf(market)
  const { accepted, payload } = await market.order(market.world.stranger(), wallet)
  // After it was simulated, and before it is sent, the wallet changes its mind.
  node.next('eth_getTransactionCount', async (reply) => {
    await wallet.turn()
    return reply
  })
  const lost = await presents(market.world.stranger(), market.postId, accepted, payload)
  deepEqual([lost.status, lost.body.error, await transactionsOf(market)], [402, 'settlement_pending', before + 1])
  await wallet.turn()
  equal((await tries(market, wallet))[1], 'settlement_pending', 'someone else may present it')
  await age(market, wallet.address, '1 hour')
  deepEqual(await tries(market, wallet), [402, 'payer_must_wait', before + 1])
  await age(market, wallet.address, '29 days')
  deepEqual(await tries(market, wallet), [402, 'payer_must_wait', before + 1])
  await age(market, wallet.address, '2 days')
  deepEqual(await tries(market, wallet), [200, undefined, before + 2])
  const gas = await market.world.services.metrics.registry.getSingleMetric('pennypost_gas_eth_total')!.get()
  for (const outcome of ['sold', 'wasted'])
    ok(gas.values.find(({ labels }) => labels.outcome === outcome)!.value > 0, outcome)
  await market.later(600)
  await isClean(market)
})

test('a key whose payment failed waits a minute, then four; an address with twenty failures waits a day', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const node = await stranger(t, market, 10_000)
  const wallet = await market.fundedWallet(usdcPrice)
  const before = await transactionsOf(market)
  const person = market.world.stranger()
  for (const [turn, short, long] of [
    [1, '30 seconds', '40 seconds'],
    [2, '200 seconds', '60 seconds'],
  ] as const) {
    node.next('eth_getTransactionCount', async (reply) => {
      await empties(market, wallet)
      return reply
    })
    deepEqual(await tries(market, wallet, person), [402, 'settlement_pending', before + turn])
    await market.chain.mint(wallet.address, usdcPrice)
    await age(market, wallet.address, short)
    deepEqual(await tries(market, wallet, person), [402, 'payer_must_wait', before + turn], short)
    await age(market, wallet.address, long)
  }
  // Eighteen more of this address, with other wallets.
  await market.world.services.pool.query(
    `INSERT INTO x402_payments SELECT (jsonb_populate_record(payment, jsonb_build_object('id', gen_random_uuid(),
       'payer', 'other ' || n, 'nonce', gen_random_uuid(), 'reverted_at', $2::timestamptz))).*
     FROM x402_payments payment, generate_series(1, 9) n WHERE payer = $1 AND state = 'failed'`,
    [wallet.address, market.world.services.clock.now()],
  )
  const other = await market.fundedWallet(usdcPrice)
  deepEqual(await tries(market, other, person), [402, 'too_many_failed_payments', before + 2])
  deepEqual(await tries(market, other), [200, undefined, before + 3], 'from elsewhere')
  await market.later(600)
})

test('a wallet with money for one post that signs for five at once costs one transaction', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const wallet = await market.fundedWallet(usdcPrice)
  const before = await transactionsOf(market)
  const orders = []
  for (let post = 0; post < 5; post += 1) {
    const postId = await sellsForUsdc(market.creator)
    const person = market.world.stranger()
    orders.push({ postId, person, ...(await market.order(person, wallet, postId)) })
  }
  const replies = await Promise.all(
    orders.map(({ person, postId, accepted, payload }) => presents(person, postId, accepted, payload)),
  )
  deepEqual(replies.map(({ status }) => status).sort(), [200, 402, 402, 402, 402])
  equal(await transactionsOf(market), before + 1)
  await market.later(10)
})

test('a wallet with enough money buys several posts at once', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const wallet = await market.fundedWallet()
  const posts = await Promise.all(Array.from({ length: 4 }, () => sellsForUsdc(market.creator)))
  await Promise.all(posts.map((postId) => buys(market, market.world.stranger(), wallet, postId)))
  await market.later(10)
})

test('a day has a budget for gas: smart wallets wait first, then everyone, and the log says so', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t, { isolation: 'own' })
  const { world } = market
  const smart = await createTrickWallet(market.chain, { seesPrice: false })
  await market.chain.mint(smart.address, usdcPrice)
  await buys(market, world.stranger(), await market.fundedWallet())
  const { rows } = await world.services.pool.query(
    'SELECT sold_wei::text AS sold, wasted_wei::text AS wasted FROM gas_days',
  )
  ok(BigInt(rows[0].sold) > 0n)
  equal(rows[0].wasted, '0')
  const { config } = world.services
  const setBudget = (gasBudgetWei: bigint) => Object.assign(world.services, { config: { ...config, gasBudgetWei } })
  t.after(() => Object.assign(world.services, { config }))
  await world.services.pool.query('UPDATE gas_days SET wasted_wei = sold_wei')
  setBudget(BigInt(rows[0].sold) * 4n)
  const before = await transactionsOf(market)
  deepEqual(await tries(market, smart), [402, 'smart_wallets_paused', before])
  equal((await tries(market, await market.fundedWallet()))[0], 200)
  setBudget(BigInt(rows[0].sold) * 2n)
  const wallet = await market.fundedWallet()
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, wallet)
  const paused = await presents(person, market.postId, accepted, payload)
  deepEqual([paused.status, paused.body.code], [503, 'temporarily-unavailable'])
  const seconds = Number(paused.headers.get('retry-after'))
  ok(seconds > 0 && seconds <= 3600)
  // Nothing was taken: with the next day's budget the same request buys.
  setBudget(config.gasBudgetWei)
  equal((await presents(person, market.postId, accepted, payload)).status, 200)
  equal((await person.calls(getAccess, { params: { postId: market.postId } })).status, 402)
  await market.later(10)
})

const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)'])

/** The payer spends everything elsewhere, at once. */
async function empties({ chain, world, balance, payTo }: UsdcMarket, { address }: BaseWallet): Promise<void> {
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [payTo, await balance(address)] })
  await chain.call('anvil_setBalance', address, '0xde0b6b3a7640000')
  await chain.call('anvil_impersonateAccount', address)
  await chain.call('eth_sendTransaction', {
    from: address,
    to: world.services.config.usdcAddress,
    data,
    gas: '0x30d40',
  })
  await chain.call('anvil_stopImpersonatingAccount', address)
}
