import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createFaultyNode, type Fault, type FaultyNode } from '../test/faulty-node.ts'
import { isClean, type Market, openMarket, price, quotes, reads, sells, xno } from './market.fixture.ts'

// Money under a node that does what nodes do at their worst. Whatever it is: all is paid once, and the books are right.

const net = (price * 95n) / 100n
const nodeTimeoutMs = 150

async function marketBehindFaultyNode(
  t: TestContext,
  settings: (faultyNode: FaultyNode) => Record<string, string> = () => ({}),
) {
  const doubles: FaultyNode[] = []
  const own: Record<string, string> = {}
  const market = await openMarket(t, {
    nodeTimeoutMs,
    settings: own,
    node: async (network) => {
      const faultyNode = await createFaultyNode(t, network)
      doubles.push(faultyNode)
      Object.assign(own, settings(faultyNode))
      return faultyNode
    },
  })
  return { market, faultyNode: doubles[0]! }
}

/** A buyer pays more than the price while the node misbehaves, so that creator, payer and house are all sent money. */
async function isPaidOnce(market: Market, faultyNode: FaultyNode, misbehave: () => void, what: string): Promise<void> {
  const { buyer, creator, earnings, wallet, pays, checkAddresses, later } = market
  const { id, address } = await quotes(buyer, await sells(creator))
  await pays(address, price + xno)
  misbehave()
  await checkAddresses()
  await isClean(market)
  for (let tries = 0; (await countOpen(market)) > 0 || (await reads(buyer, id)).status !== 'paid'; tries += 1) {
    ok(tries < 12, `${what}: stuck`)
    await later(65)
    await isClean(market)
  }
  faultyNode.heal()
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
    const { market, faultyNode } = await marketBehindFaultyNode(t)
    const faults: Fault[] = ['silent', 'silent-after', 'drop', 'drop-after', 'late', 'twice']
    for (const fault of faults) {
      const misbehave = () => faultyNode.next('process', ...Array<Fault>(before).fill(pass), fault, fault)
      await isPaidOnce(market, faultyNode, misbehave, `${role}: ${fault}`)
    }
  })
}

test('a node that takes a block and says that it did not is asked for the block itself', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  const words = ['Fork', 'Gap previous block', 'Bad signature', 'Negative spend', 'Block work is less than threshold']
  for (const [index, error] of words.entries()) {
    // Each in another place.
    const before = index % 3
    const misbehave = () => faultyNode.next('process', ...Array<Fault>(before).fill(pass), () => ({ error }))
    await isPaidOnce(market, faultyNode, misbehave, error)
  }
})

test('a node that calls good work too little for a while is given the same block again', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  let lies = 0
  const misbehave = () =>
    faultyNode.always('process', (answer: object) => {
      lies += 1
      return lies <= 8 ? { error: 'Block work is insufficient' } : answer
    })
  await isPaidOnce(market, faultyNode, misbehave, 'work')
  ok(lies > 0)
})

test('a work server that lies about its work, or fails, costs nobody money', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t, ({ rpcUrl }) => ({ NANO_WORK_URL: rpcUrl }))
  const tooWeak = (answer: object) => ({ ...answer, work: '0000000000000001' })
  for (const fault of [tooWeak, 'drop'] as Fault[]) {
    await isPaidOnce(market, faultyNode, () => faultyNode.always('work_generate', fault), String(fault))
  }
  ok(faultyNode.requests.includes('work_generate'))
})

test('answers that are lost or late on the way to a payment: it is found, and counted once', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  faultyNode.events('lost')
  for (const action of ['accounts_receivable', 'block_info']) {
    for (const fault of ['silent-after', 'late', 'twice'] as Fault[]) {
      await isPaidOnce(market, faultyNode, () => faultyNode.next(action, fault, fault), `${action}: ${fault}`)
      faultyNode.events('lost')
    }
  }
})

test('events that come twice, in the wrong order or as garbage, while answers are late', async (t) => {
  const { market, faultyNode } = await marketBehindFaultyNode(t)
  for (const events of ['twice', 'swapped', 'garbage'] as const) {
    const misbehave = () => {
      faultyNode.events(events)
      faultyNode.next('block_info', 'late', 'twice')
      faultyNode.next('process', 'late', 'silent-after')
    }
    faultyNode.events(events)
    await isPaidOnce(market, faultyNode, misbehave, events)
  }
  equal(await market.earnings.receives(), 0n)
})
