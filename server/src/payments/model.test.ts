import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { cancelPurchase, createPurchase } from '@pennypost/contract/purchases'
import fc from 'fast-check'
import { armFaultPoints } from '../platform/fault-point.ts'
import type { NanoWallet } from '../test/nano-wallet.ts'
import { createNodeDouble, type EventFault, type Fault, type NodeDouble } from '../test/node-double.ts'
import { isClean, type Market, openMarket, tips, xno } from './market.fixture.ts'
import { type ModelArrival, predict } from './session-model.fixture.ts'

// Generated histories of sessions: payments in parts, too much, late, twice, by two payers; cancels; a node that drops,
// repeats and refuses; crashes at every fault point. Whatever happens, the model's money is the ledger's and the chain's.
// Histories run side by side, so that sessions meet the same faults. MODEL_RUNS asks for more of them.

const runs = Number(process.env.MODEL_RUNS ?? 1_000)
const sideBySide = 50
const steps = 4

const faultPoints = [
  ...['arrival-seen', 'arrival-noted', 'arrival-committed', 'block-signed', 'block-stored', 'block-published'],
  ...['publication-noted', 'block-confirmed', 'confirmation-noted', 'confirmation-committed'],
]
const nodeFaults: Fault[] = ['drop', 'drop-after', 'garbage', 'empty', 'busy', 'bad-gateway', 'twice']
const actions = ['process', 'block_info', 'receivable', '*']

/** Of the price, in hundredths; the last one is dust. */
const share = fc.constantFrom(100, 100, 100, 50, 50, 33, 1, 150, 250, 0)
const payment = fc.record({ step: fc.nat(steps - 1), payer: fc.nat(1), share, odd: fc.nat(2) })
const history = fc.record({
  kind: fc.constantFrom('purchase', 'purchase', 'tip'),
  payments: fc.array(payment, { maxLength: 3 }),
  cancelAt: fc.option(fc.nat(steps - 1), { freq: 4 }),
  isRival: fc.boolean(),
})
const batch = fc.record({
  histories: fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
  pauses: fc.array(fc.constantFrom(0, 1, 600, 3_590, 3_610, 4_000, 8_000), { minLength: steps, maxLength: steps }),
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

interface Session extends History {
  readonly id: string
  readonly address: string
  readonly postId: string
  readonly price: bigint
  cancelled: boolean
}

test(`${runs} generated histories: the model's money is the ledger's and the chain's`, {
  timeout: 3_600_000,
}, async (t) => {
  let double: NodeDouble | undefined
  const market = await openMarket(t, {
    node: async (network) => {
      double = await createNodeDouble(t, network)
      return double
    },
  })
  t.after(() => armFaultPoints(undefined))
  const payers = [
    await market.network.fundedWallet(10n ** 6n * xno),
    await market.network.fundedWallet(10n ** 6n * xno),
  ]
  await fc.assert(
    fc.asyncProperty(batch, (generated) => runBatch(market, double!, payers, generated)),
    { numRuns: Math.ceil(runs / sideBySide), endOnFailure: true },
  )
  await isClean(market)
})

async function runBatch(market: Market, double: NodeDouble, payers: NanoWallet[], generated: Batch): Promise<void> {
  const { world, network, buyer, earnings } = market
  const balances = () =>
    Promise.all(payers.map(async ({ address }) => (await network.client.accountInfo(address))!.balance))
  await market.later(1)
  const before = await balances()
  const earned = await earnings.receives()
  equal(earned, 0n)
  const sessions = await openSessions(market, generated.histories)
  const sent = [0n, 0n]
  double.events(generated.events)
  for (let step = 0; step < steps; step += 1) {
    for (const session of sessions) {
      for (const { share, odd, payer } of session.payments.filter((each) => each.step === step)) {
        const amount = (session.price * BigInt(share)) / 100n + BigInt(odd)
        if (amount === 0n) continue
        await payers[payer]!.sends(session.address, amount)
        sent[payer]! += amount
      }
      if (session.cancelAt === step && session.kind === 'purchase') {
        const { status, body } = await buyer.owner.calls(cancelPurchase, { params: { purchaseId: session.id } })
        ok(status === 200 || (status === 409 && body.code === 'purchase-state'))
        session.cancelled ||= status === 200
      }
    }
    for (const payer of payers)
      await network.untilConfirmed((await network.client.accountInfo(payer.address))!.frontier)
    for (const each of generated.faults.filter((fault) => fault.step === step)) double.next(each.action, each.fault)
    armFaultPoints(crashing(generated.crashes.filter((crash) => crash.step === step)))
    await market.look()
    await market.passes(generated.pauses[step]!)
  }
  double.heal()
  armFaultPoints(undefined)
  for (let tries = 0; (await countOpen(market)) > 0 || tries < 2; tries += 1) {
    ok(tries < 12, 'something is stuck')
    await market.later(tries === 0 ? 130 : 7_300)
  }
  await market.forget()
  await compare(market, payers, sessions, { before, sent, after: balances })
  equal(
    await world.services.pool.query('SELECT FROM jobs WHERE dead_at IS NOT NULL').then(({ rowCount }) => rowCount),
    0,
  )
}

/** As if the process had died there: what follows does not happen, what was not committed never did. */
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

async function openSessions(market: Market, histories: readonly History[]): Promise<Session[]> {
  const { world, buyer } = market
  const sessions: Session[] = []
  for (const each of histories) {
    const rivalled = each.isRival ? sessions.findLast(({ kind }) => kind === 'purchase') : undefined
    if (each.kind === 'tip') {
      const tip = await tips(buyer, market.postId, xno)
      sessions.push({ ...each, ...tip, postId: market.postId, price: xno, cancelled: false })
      continue
    }
    const postId = rivalled?.postId ?? (await copyPost(world.services.pool, market.postId))
    const input = { body: { postId }, idempotencyKey: randomUUID() }
    const { status, body } = await buyer.owner.calls(createPurchase, input)
    equal(status, 201, JSON.stringify(body))
    const { id, amount_raw: price } = body.purchase
    const address = body.ephemeral_address.ephemeral_address
    sessions.push({ ...each, id, address, postId, price: BigInt(price), cancelled: false })
  }
  return sessions
}

/** Another Post of the same creator; publishing a thousand the long way would test something else. */
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
       + (SELECT count(*) FROM session_arrivals WHERE settled_at IS NULL)::int
       + (SELECT count(*) FROM payment_sessions WHERE state IN ('pending', 'received'))::int AS open`,
  )
  return rows[0]!.open
}

interface Balances {
  readonly before: readonly bigint[]
  readonly sent: readonly bigint[]
  after(): Promise<bigint[]>
}

async function compare(market: Market, payers: NanoWallet[], sessions: Session[], { before, sent, after }: Balances) {
  const { pool } = market.world.services
  const refunded = [0n, 0n]
  let net = 0n
  for (const session of sessions) {
    const { rows: seen } = await pool.query<{ source: string; amount: string; seen_at: Date }>(
      `SELECT arrival.source, arrival.amount, arrival.seen_at FROM nano_arrivals arrival
       JOIN payment_sessions session ON session.address_id = arrival.address_id WHERE session.id = $1 ORDER BY arrival.number`,
      [session.id],
    )
    const arrivals = seen.map(
      (row): ModelArrival => ({ payer: row.source, amount: BigInt(row.amount), seenAt: row.seen_at }),
    )
    const worthIt = session.payments
      .map(({ share, odd }) => (session.price * BigInt(share)) / 100n + BigInt(odd))
      .filter((amount) => amount > 2n)
    deepEqual(arrivals.map(({ amount }) => amount).sort(), worthIt.sort(), 'all that was worth receiving was noted')
    const { rows } = await pool.query(
      `SELECT session.state, session.expires_at, session.commission_raw, entitled.session_id AS winner
       FROM payment_sessions session LEFT JOIN entitlements entitled
         ON entitled.account_id = session.payer_id AND entitled.post_id = session.post_id WHERE session.id = $1`,
      [session.id],
    )
    const [found] = rows
    const outcome = predict({
      ...{ price: session.price, expiresAt: found.expires_at, arrivals, isCancelled: session.cancelled },
      isBoughtElsewhere: session.kind === 'purchase' && found.winner !== null && found.winner !== session.id,
    })
    equal(found.state, outcome.state, JSON.stringify({ id: session.id, payments: session.payments }))
    if (session.kind === 'purchase') equal(found.winner === session.id, outcome.isSold)
    if (outcome.isSold) net += session.price - BigInt(found.commission_raw)
    for (const [index, { address }] of payers.entries()) refunded[index]! += outcome.refunds.get(address) ?? 0n
  }
  for (const payer of payers) await payer.receives()
  deepEqual(
    await after(),
    before.map((amount, index) => amount - sent[index]! + refunded[index]!),
  )
  equal(await market.earnings.receives(), net)
}
