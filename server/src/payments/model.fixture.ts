import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createCheckout } from '@pennypost/contract/checkout'
import { cancelPurchase } from '@pennypost/contract/purchases'
import fc from 'fast-check'
import { armFaultPoints } from '../platform/fault-point.ts'
import { createFaultyNode, type EventFault, type Fault, type FaultyNode } from '../test/faulty-node.ts'
import type { NanoWallet } from '../test/nano-wallet.ts'
import { closeShared } from '../test/shared.ts'
import { isClean, type Market, openMarket, price, quotes, tips, xno } from './market.fixture.ts'
import { type ModelArrival, predict } from './order-model.fixture.ts'

// Generated histories of orders: payments in parts, too much, late, twice, by two payers; cancels; a node that drops,
// repeats and refuses; crashes at every fault point. Whatever happens, the model's money is the ledger's and the chain's.
// Histories run side by side, so that orders meet the same faults.

const runs = Number(process.argv[2])
const sideBySide = 50
const steps = 4
const quotesAtOnce = 5

const faultPoints = [
  ...['arrival-seen', 'arrival-noted', 'arrival-committed', 'block-signed', 'block-stored', 'block-published'],
  ...['publication-noted', 'block-confirmed', 'confirmation-noted', 'confirmation-committed'],
]
const nodeFaults: Fault[] = ['drop', 'drop-after', 'garbage', 'empty', 'busy', 'bad-gateway', 'twice']
const actions = ['process', 'block_info', 'accounts_receivable', '*']

/** Shares of the price, in hundredths; the last one is dust. */
const share = fc.constantFrom(100, 100, 100, 50, 50, 33, 1, 150, 250, 0)
const payment = fc.record({ step: fc.nat(steps - 1), payer: fc.nat(1), share, odd: fc.nat(2) })
const history = fc.record({
  kind: fc.constantFrom('purchase', 'purchase', 'guest', 'tip'),
  payments: fc.array(payment, { maxLength: 3 }),
  cancelAt: fc.option(fc.nat(steps - 1), { freq: 4 }),
  isRival: fc.boolean(),
})
const batch = fc.record({
  histories: fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
  pauses: fc.array(fc.constantFrom(0, 1, 600, 3_590, 3_610, 4_000, 8_000, 90_100), {
    minLength: steps,
    maxLength: steps,
  }),
  faults: fc.array(
    fc.record({ step: fc.nat(steps - 1), action: fc.constantFrom(...actions), fault: fc.constantFrom(...nodeFaults) }),
    { maxLength: 12 },
  ),
  crashes: fc.array(fc.record({ step: fc.nat(steps - 1), point: fc.constantFrom(...faultPoints), after: fc.nat(15) }), {
    maxLength: 12,
  }),
  events: fc.constantFrom<EventFault>('none', 'lost', 'twice', 'swapped', 'garbage'),
})
type Batch = typeof batch extends fc.Arbitrary<infer Value> ? Value : never
type History = Batch['histories'][number]

interface Order extends History {
  readonly id: string
  readonly address: string
  readonly postId: string
  readonly price: bigint
  cancelled: boolean
}

/** Skips notifications: thousands of them are not what this tests. */
async function tellNobody({ world }: Market): Promise<void> {
  await world.services.pool.query(
    `CREATE FUNCTION drop_job() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER nobody_is_told BEFORE INSERT ON jobs FOR EACH ROW WHEN (NEW.name = 'notify-of-money')
       EXECUTE FUNCTION drop_job()`,
  )
}

async function runBatch(market: Market, faultyNode: FaultyNode, payers: NanoWallet[], generated: Batch): Promise<void> {
  const { world, network, earnings } = market
  await market.later(1)
  const before = await holdings(market, [...payers, earnings])
  const orders = await openOrders(market, generated.histories)
  const sent = payers.map(() => 0n)
  faultyNode.events(generated.events)
  for (let step = 0; step < steps; step += 1) {
    await Promise.all([
      cancelThose(market, orders, step),
      ...payers.map(async (payer, index) => {
        sent[index]! += await payThose(payer, index, orders, step)
        await network.untilConfirmed((await network.client.accountInfo(payer.address))!.frontier)
      }),
    ])
    for (const each of generated.faults.filter((fault) => fault.step === step)) faultyNode.next(each.action, each.fault)
    armFaultPoints(crashing(generated.crashes.filter((crash) => crash.step === step)))
    await market.checkAddresses()
    await market.passes(generated.pauses[step]!)
  }
  faultyNode.heal()
  armFaultPoints(undefined)
  for (let tries = 0; (await countOpen(market)) > 0 || tries < 2; tries += 1) {
    ok(tries < 12, 'something is stuck')
    await market.later(tries === 0 ? 130 : 7_300)
  }
  await market.ignoreOldAddresses()
  const { refunded, net } = await outcomesOf(market, payers, orders)
  const [earnedBefore, earned] = [before.pop()!, (await holdings(market, [earnings]))[0]!]
  deepEqual(
    await holdings(market, payers),
    before.map((amount, index) => amount - sent[index]! + refunded[index]!),
  )
  equal(earned - earnedBefore, net)
  equal(
    await world.services.pool.query('SELECT FROM jobs WHERE dead_at IS NOT NULL').then(({ rowCount }) => rowCount),
    0,
  )
}

/** An account's balance on the chain, received and receivable. */
const holdings = ({ network }: Market, wallets: readonly NanoWallet[]): Promise<bigint[]> =>
  Promise.all(
    wallets.map(async ({ address }) => {
      const { balance, receivable } = await network.call({ action: 'account_balance', account: address })
      return BigInt(balance) + BigInt(receivable)
    }),
  )

const amountOf = ({ price }: Order, { share, odd }: History['payments'][number]): bigint =>
  (price * BigInt(share)) / 100n + BigInt(odd)

/** Sends run one after the other, because each block of an account builds on the previous one. Returns the amount. */
async function payThose(wallet: NanoWallet, payer: number, orders: readonly Order[], step: number): Promise<bigint> {
  let total = 0n
  for (const order of orders) {
    for (const payment of order.payments.filter((each) => each.step === step && each.payer === payer)) {
      const amount = amountOf(order, payment)
      if (amount === 0n) continue
      await wallet.sends(order.address, amount)
      total += amount
    }
  }
  return total
}

async function cancelThose({ buyer }: Market, orders: readonly Order[], step: number): Promise<void> {
  for (const order of orders.filter(({ kind, cancelAt }) => kind === 'purchase' && cancelAt === step)) {
    const { status, body } = await buyer.owner.calls(cancelPurchase, { params: { purchaseId: order.id } })
    ok(status === 200 || (status === 409 && body.code === 'purchase-state'))
    order.cancelled ||= status === 200
  }
}

/** Acts as if the process had died there: nothing after it runs, and uncommitted changes are lost. */
function crashing(plans: readonly { point: string; after: number }[]): (name: string) => void {
  const waiting = plans.map((plan) => ({ ...plan }))
  return (name) => {
    for (const plan of waiting) {
      if (plan.point !== name) continue
      plan.after -= 1
      if (plan.after === -1) throw new Error(`crashed at ${name}`)
    }
  }
}

async function openOrders(market: Market, histories: readonly History[]): Promise<Order[]> {
  const { world, buyer } = market
  const posts: string[] = []
  for (const { kind, isRival } of histories) {
    const last = posts.findLast((postId) => postId !== market.postId)
    const isOld = isRival && last !== undefined
    posts.push(kind === 'tip' ? market.postId : isOld ? last : await copyPost(world.services.pool, market.postId))
  }
  const open = async (each: History, postId: string): Promise<Order> => {
    if (each.kind === 'tip')
      return { ...each, ...(await tips(buyer, postId, xno)), postId, price: xno, cancelled: false }
    if (each.kind === 'guest')
      return { ...each, ...(await guestQuotes(market, postId)), postId, price, cancelled: false }
    return { ...each, ...(await quotes(buyer, postId)), postId, price, cancelled: false }
  }
  const orders: Order[] = []
  while (orders.length < histories.length) {
    const next = histories.slice(orders.length, orders.length + quotesAtOnce)
    orders.push(...(await Promise.all(next.map((each, index) => open(each, posts[orders.length + index]!)))))
  }
  return orders
}

/** A guest's order. Its money follows the same rules. */
async function guestQuotes({ world }: Market, postId: string): Promise<{ id: string; address: string }> {
  const body = { postId, asset: 'XNO' } as const
  const reply = await world.stranger().calls(createCheckout, { body, idempotencyKey: randomUUID() })
  equal(reply.status, 201, JSON.stringify(reply.body))
  return { id: reply.body.checkout.id, address: reply.body.payment.address }
}

/** Copies a post of the same creator: publishing a thousand through the API would test something else. */
async function copyPost(pool: Market['world']['services']['pool'], postId: string): Promise<string> {
  const id = randomUUID()
  await pool.query(
    `INSERT INTO posts SELECT (jsonb_populate_record(post, jsonb_build_object('id', $2::uuid, 'slug', $2::text))).*
     FROM posts post WHERE id = $1`,
    [postId, id],
  )
  return id
}

const countOpen = async ({ world }: Market): Promise<number> => {
  const { rows } = await world.services.pool.query<{ open: number }>(
    `SELECT (SELECT count(*) FROM payouts WHERE state <> 'confirmed')::int
       + (SELECT count(*) FROM order_arrivals WHERE spent_at IS NULL)::int
       + (SELECT count(*) FROM orders WHERE state IN ('pending', 'received'))::int AS open`,
  )
  return rows[0]!.open
}

/** Compares each order with the model. Returns what was refunded and earned according to the model. */
async function outcomesOf({ world }: Market, payers: readonly NanoWallet[], orders: readonly Order[]) {
  const { pool } = world.services
  const ids = orders.map(({ id }) => id)
  const { rows: arrived } = await pool.query<{ id: string; source: string; amount: string; seen_at: Date }>(
    `SELECT orders.id, arrival.source, arrival.amount, arrival.seen_at FROM nano_arrivals arrival
     JOIN orders ON orders.address_id = arrival.address_id WHERE orders.id = ANY($1) ORDER BY arrival.number`,
    [ids],
  )
  const { rows } = await pool.query(
    `SELECT orders.id, orders.state, orders.expires_at, orders.commission_raw, entitled.order_id AS winner
     FROM orders LEFT JOIN entitlements entitled
       ON entitled.account_id = orders.payer_id AND entitled.post_id = orders.post_id WHERE orders.id = ANY($1)`,
    [ids],
  )
  const refunded = payers.map(() => 0n)
  let net = 0n
  for (const order of orders) {
    const arrivals = arrived
      .filter(({ id }) => id === order.id)
      .map((row): ModelArrival => ({ payer: row.source, amount: BigInt(row.amount), seenAt: row.seen_at }))
    const worthIt = order.payments.map((payment) => amountOf(order, payment)).filter((amount) => amount > 2n)
    deepEqual(arrivals.map(({ amount }) => amount).sort(), worthIt.sort(), 'all that was worth receiving was noted')
    const found = rows.find(({ id }) => id === order.id)
    const outcome = predict({
      price: order.price,
      expiresAt: found.expires_at,
      arrivals,
      isCancelled: order.cancelled,
      isBoughtElsewhere: order.kind === 'purchase' && found.winner !== null && found.winner !== order.id,
    })
    equal(found.state, outcome.state, JSON.stringify({ id: order.id, payments: order.payments }))
    if (order.kind !== 'tip') equal(found.winner === order.id, outcome.isSold)
    if (outcome.isSold) net += order.price - BigInt(found.commission_raw)
    for (const [index, { address }] of payers.entries()) refunded[index]! += outcome.refunds.get(address) ?? 0n
  }
  return { refunded, net }
}

const endings: (() => unknown)[] = []
// Stands in for a test's `after`, outside of a test.
const context = { after: (act: () => unknown) => void endings.push(act) } as unknown as TestContext
try {
  let faultyNode: FaultyNode | undefined
  const market = await openMarket(context, {
    hands: 4,
    node: async (network) => {
      faultyNode = await createFaultyNode(context, network)
      return faultyNode
    },
  })
  await tellNobody(market)
  const payers = [
    await market.network.fundedWallet(10n ** 6n * xno),
    await market.network.fundedWallet(10n ** 6n * xno),
  ]
  await fc.assert(
    fc.asyncProperty(batch, (generated) => runBatch(market, faultyNode!, payers, generated)),
    { numRuns: Math.ceil(runs / sideBySide), endOnFailure: true },
  )
  await isClean(market)
} finally {
  armFaultPoints(undefined)
  for (const end of endings) await end()
  await closeShared()
}
