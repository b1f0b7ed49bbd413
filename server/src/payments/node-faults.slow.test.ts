import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createNodeDouble, type Fault, type NodeDouble } from '../test/node-double.ts'
import { isClean, type Market, openMarket, price, quotes, reads, sells, xno } from './market.fixture.ts'

// Money under a node that does what nodes do at their worst. Whatever it is: all is paid once, and the books are right.

const net = (price * 95n) / 100n
const nodeTimeoutMs = 150

async function marketBehindDouble(
  t: TestContext,
  settings: (double: NodeDouble) => Record<string, string> = () => ({}),
) {
  const doubles: NodeDouble[] = []
  const own: Record<string, string> = {}
  const market = await openMarket(t, {
    nodeTimeoutMs,
    settings: own,
    node: async (network) => {
      const double = await createNodeDouble(t, network)
      doubles.push(double)
      Object.assign(own, settings(double))
      return double
    },
  })
  return { market, double: doubles[0]! }
}

/** Somebody pays more than the price while the node misbehaves, so that creator, payer and house are all sent money. */
async function isPaidOnce(market: Market, double: NodeDouble, misbehave: () => void, what: string): Promise<void> {
  const { buyer, creator, earnings, wallet, pays, look, later } = market
  const { id, address } = await quotes(buyer, await sells(creator))
  await pays(address, price + xno)
  misbehave()
  await look()
  await isClean(market)
  for (let tries = 0; (await countOpen(market)) > 0 || (await reads(buyer, id)).status !== 'paid'; tries += 1) {
    ok(tries < 12, `${what}: stuck`)
    await later(65)
    await isClean(market)
  }
  double.heal()
  await later(65)
  await isClean(market)
  deepEqual([await earnings.receives(), await wallet.receives()], [net, xno], what)
}

async function countOpen({ world }: Market): Promise<number> {
  const { rows } = await world.services.pool.query(
    `SELECT count(*)::int AS open FROM payouts WHERE state <> 'confirmed'`,
  )
  return rows[0].open
}

// The first block receives, the second pays the creator, the third the payer. The fourth, the house's, is like them.
const blocks = { receive: 0, payout: 1, refund: 2 } as const
const pass = (answer: unknown) => answer

for (const [role, before] of Object.entries(blocks)) {
  test(`${role}: a node that is silent before or after it acts, drops, answers late or acts twice`, async (t) => {
    const { market, double } = await marketBehindDouble(t)
    const faults: Fault[] = ['silent', 'silent-after', 'drop', 'drop-after', 'late', 'twice']
    for (const fault of faults) {
      const misbehave = () => double.next('process', ...Array<Fault>(before).fill(pass), fault, fault)
      await isPaidOnce(market, double, misbehave, `${role}: ${fault}`)
    }
  })
}

test('a node that takes a block and says that it did not is asked for the block itself', async (t) => {
  const { market, double } = await marketBehindDouble(t)
  const words = ['Fork', 'Gap previous block', 'Bad signature', 'Negative spend', 'Block work is less than threshold']
  for (const [index, error] of words.entries()) {
    // Each in another place.
    const before = index % 3
    const misbehave = () => double.next('process', ...Array<Fault>(before).fill(pass), () => ({ error }))
    await isPaidOnce(market, double, misbehave, error)
  }
})

test('a node that calls good work too little for a while is given the same block again', async (t) => {
  const { market, double } = await marketBehindDouble(t)
  let lies = 0
  const misbehave = () =>
    double.always('process', (answer: object) => {
      lies += 1
      return lies <= 8 ? { error: 'Block work is insufficient' } : answer
    })
  await isPaidOnce(market, double, misbehave, 'work')
  ok(lies > 0)
})

test('a work server that lies about its work, or fails, costs nobody money', async (t) => {
  const { market, double } = await marketBehindDouble(t, ({ rpcUrl }) => ({ NANO_WORK_URL: rpcUrl }))
  const tooWeak = (answer: object) => ({ ...answer, work: '0000000000000001' })
  for (const fault of [tooWeak, 'drop'] as Fault[]) {
    await isPaidOnce(market, double, () => double.always('work_generate', fault), String(fault))
  }
  ok(double.heard.includes('work_generate'))
})

test('answers that are lost or late on the way to a payment: it is found, and counted once', async (t) => {
  const { market, double } = await marketBehindDouble(t)
  double.events('lost')
  for (const action of ['accounts_receivable', 'block_info']) {
    for (const fault of ['silent-after', 'late', 'twice'] as Fault[]) {
      await isPaidOnce(market, double, () => double.next(action, fault, fault), `${action}: ${fault}`)
      double.events('lost')
    }
  }
})

test('events that come twice, in the wrong order or as garbage, while answers are late', async (t) => {
  const { market, double } = await marketBehindDouble(t)
  for (const events of ['twice', 'swapped', 'garbage'] as const) {
    const misbehave = () => {
      double.events(events)
      double.next('block_info', 'late', 'twice')
      double.next('process', 'late', 'silent-after')
    }
    double.events(events)
    await isPaidOnce(market, double, misbehave, events)
  }
  equal(await market.earnings.receives(), 0n)
})
