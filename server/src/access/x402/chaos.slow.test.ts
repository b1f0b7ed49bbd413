import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { auditBooks } from '../../payments/audit/audit-books.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { presents } from './buying.fixture.ts'
import { openUsdcMarket, stranger, usdcPrice } from './usdc-market.fixture.ts'

// The small one. `npm run chaos` is the large one: chaos/chaos.slow.test.ts.
const buyers = 8
// Ten seconds each: after the chain is whole again they go on for longer than a failing node is left alone.
const tries = 20

test(`${buyers} buyers on a chain that fails: nobody pays twice, nobody who paid goes unserved`, {
  skip: !hasAnvil,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const people = await Promise.all(
    Array.from({ length: buyers }, async () => {
      const person = world.stranger()
      const wallet = await market.fundedWallet()
      return { person, wallet, order: await market.order(person, wallet) }
    }),
  )
  const faultyNode = await stranger(t, market)
  // Taken and not answered, never taken, answered twice, receipts lost, nonsense: each some of the time.
  const faults = ['drop-after', 'drop', 'twice', 'garbage', 'bad-gateway'] as const
  for (let index = 0; index < buyers; index += 1) {
    faultyNode.next('eth_sendRawTransaction', faults[index % faults.length]!)
    faultyNode.next('eth_getTransactionReceipt', 'drop', faults[(index * 3) % faults.length]!)
    faultyNode.next('eth_getTransactionCount', ...(index % 7 === 0 ? (['garbage'] as const) : []))
  }
  const buys = async ({ person, order }: (typeof people)[number]) =>
    (await presents(person, postId, order.accepted, order.payload)).status
  let open = people
  for (let time = 0; time < tries && open.length > 0; time += 1) {
    const statuses = await Promise.all(open.map(buys))
    ok(
      statuses.every((status) => [200, 402, 503].includes(status)),
      String(statuses),
    )
    open = open.filter((_, index) => statuses[index] !== 200)
    if (time === tries / 2) faultyNode.heal()
    // Within the life of the quotes: nobody signs again.
    await world.advance(10)
    await world.runJobs()
  }
  equal(open.length, 0, 'everyone reads with what they signed at first')
  for (const { wallet } of people) equal(await market.balance(wallet.address), 10_000_000n - usdcPrice, 'charged once')
  equal(await market.balance(market.payTo), usdcPrice * BigInt(buyers))
  const { rows } = await world.services.pool.query('SELECT state, count(*)::int AS n FROM x402_payments GROUP BY state')
  deepEqual(rows, [{ state: 'settled', n: buyers }])
  faultyNode.heal()
  await market.later(70)
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})
