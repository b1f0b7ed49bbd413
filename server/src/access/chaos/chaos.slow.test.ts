import { deepEqual, equal } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { audit } from '../../operator/audit.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { smartWalletsOn } from '../../test/base-wallet.ts'
import { type Buyer, createBuyer, type Kind, nanoFunds } from './buyer.fixture.ts'
import { configOf, type Deployment, openDeployment, silence, usdc, usdcPrice } from './deployment.fixture.ts'
import { type Deeds, replaceWaiting, sabotage } from './saboteur.fixture.ts'

// `npm run chaos` only: it takes minutes. `npm run test:slow` has a smaller one (x402/chaos.slow.test.ts).
const buyersWanted = Number(process.env.CHAOS_BUYERS ?? 0)
const seed = Number(process.env.CHAOS_SEED ?? 402)
const turmoilMs = 40_000
const phaseMs = 210_000
const quietMs = 150_000

const kinds: readonly Kind[] = ['key', 'key', 'smart wallet', 'key', 'Nano']

interface Phase {
  readonly name: string
  readonly seconds: number
}

/** Many clients buy while everything around them fails. Then the faults stop until all are served. */
async function phase(deployment: Deployment, crowd: readonly Buyer[], deeds: Deeds, isRemote: boolean): Promise<Phase> {
  const begun = performance.now()
  const note = (what: string) => void deeds.set(what, (deeds.get(what) ?? 0) + 1)
  const turmoil = AbortSignal.timeout(turmoilMs)
  const shopping = Promise.all(
    crowd.map(async (buyer, index) => {
      await wait((index * turmoilMs * 0.8) / crowd.length)
      await buyer.buy(AbortSignal.timeout(phaseMs))
    }),
  )
  const disasters = async () => {
    for (const [index, awayMs] of [
      [0, 500],
      [1, 1_500],
      [0, 0],
    ] as const) {
      await wait(3_000)
      if (!isRemote) await replaceWaiting(deployment, deeds)
      note('kill -9 of a process of ours')
      await deployment.killService(index, awayMs)
      if (isRemote) {
        note('kill -9 of the facilitator')
        await deployment.killFacilitator(4_000)
      }
    }
    note('the node is restarted')
    await deployment.restartChain()
  }
  await Promise.all([sabotage(deployment, seed + Number(isRemote), turmoil, deeds), disasters()])
  await shopping
  const seconds = Math.round((performance.now() - begun) / 1000)
  return { name: isRemote ? 'a remote facilitator' : 'our own key', seconds }
}

/** Waits until no stored payment can change. */
async function untilQuiet(client: pg.Client): Promise<string[]> {
  const open = `
    SELECT 'x402 ' || state AS what FROM x402_payments WHERE state = 'settling'
      OR state = 'failed' AND NOT is_final AND to_timestamp(valid_before + 61) > now()
    UNION ALL SELECT 'payout ' || state FROM payouts WHERE state <> 'confirmed'
    UNION ALL SELECT 'order ' || state FROM orders WHERE state = 'received'`
  const end = performance.now() + quietMs
  for (;;) {
    const { rows } = await client.query(open)
    if (rows.length === 0 || performance.now() > end) return rows.map(({ what }) => what)
    await wait(500)
  }
}

interface Movement {
  readonly payer: string
  readonly transaction: string
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The token's transfers to the creator, one for each sale. */
async function transfersTo({ call, payTo }: Deployment): Promise<Movement[]> {
  const topics = [transferTopic, null, `0x${payTo.slice(2).toLowerCase().padStart(64, '0')}`]
  const logs = (await call('eth_getLogs', { address: usdc, topics, fromBlock: '0x0', toBlock: 'latest' })) as {
    topics: string[]
    data: string
    transactionHash: string
  }[]
  return logs.map((log) => {
    equal(BigInt(log.data), usdcPrice)
    return { payer: `0x${log.topics[1]!.slice(26)}`, transaction: log.transactionHash }
  })
}

test(`${buyersWanted} buyers, both rails, while processes, nodes and facilitators die: each pays once and is served`, {
  skip: !hasAnvil || buyersWanted === 0,
  timeout: 600_000,
}, async (t) => {
  const deployment = await openDeployment(t)
  const smartWallets = await smartWalletsOn({ call: deployment.call } as never)
  const buyers: Buyer[] = []
  for (let index = 0; index < buyersWanted; index += 1) {
    const kind = kinds[index % kinds.length]!
    buyers.push(await createBuyer(deployment, index, kind, index % 3 === 1, smartWallets))
  }
  await deployment.mineEverySecond()
  const half = Math.ceil(buyers.length / 2)
  const deeds: Deeds = new Map()
  const phases = [await phase(deployment, buyers.slice(0, half), deeds, false)]
  await deployment.settleBy('remote')
  phases.push(await phase(deployment, buyers.slice(half), deeds, true))

  const client = new pg.Client({ connectionString: deployment.database.url })
  await client.connect()
  const stillOpen = await untilQuiet(client)

  const transfers = await transfersTo(deployment)
  const onBase = buyers.filter(({ kind }) => kind !== 'Nano')
  const timesPaid = (buyer: Buyer) => transfers.filter(({ payer }) => payer === buyer.address.toLowerCase()).length
  const { rows: settled } = await client.query<Movement & { network: string; amount: string }>(
    `SELECT lower(payer) AS payer, transaction, network, amount FROM x402_payments WHERE state = 'settled'`,
  )
  const lines = (movements: readonly Movement[]) =>
    movements.map(({ payer, transaction }) => `${payer.toLowerCase()} ${transaction}`).sort()
  const sold = settled.filter(({ network }) => network === 'nano:mainnet')
  const overcharged: string[] = []
  for (const { nano } of buyers) {
    if (!nano) continue
    // Everything that was sent twice has been sent back.
    await nano.receives()
    const spent = nanoFunds - (await deployment.network.client.accountInfo(nano.address))!.balance
    const bought = sold.filter(({ payer }) => payer === nano.address)
    if (bought.length !== 1 || spent !== BigInt(bought[0]!.amount)) overcharged.push(`${nano.address} ${spent}`)
  }
  const earned = (await deployment.network.client.receivable(deployment.earnings.address, 1n)).reduce(
    (sum, { amount }) => sum + amount,
    0n,
  )
  await client.end()
  const { findings } = await audit(configOf(deployment), silence)

  const sum = (of: keyof Buyer['count']) => buyers.reduce((total, { count }) => total + count[of], 0)
  const refusals: Record<string, number> = {}
  for (const { refused } of buyers) for (const reason of refused) refusals[reason] = (refusals[reason] ?? 0) + 1
  const unserved = buyers.filter(({ served }) => served !== 'the-secret-part')
  const twice = onBase.filter((buyer) => timesPaid(buyer) > 1)
  const never = onBase.filter((buyer) => timesPaid(buyer) === 0)
  const result = {
    buyers: Object.fromEntries(kinds.map((kind) => [kind, buyers.filter((buyer) => buyer.kind === kind).length])),
    forgetful: buyers.filter(({ isForgetful }) => isForgetful).length,
    phases,
    deeds: Object.fromEntries([...deeds].sort()),
    asked: sum('asked'),
    signed: sum('signed'),
    pending: sum('pending'),
    broken: sum('broken'),
    unserved: unserved.length,
    twice: twice.length,
    overcharged: overcharged.length,
    stillOpen: stillOpen.length,
    transfers: transfers.length,
    findings,
    refusals,
  }
  if (process.env.CHAOS_RESULT) await writeFile(process.env.CHAOS_RESULT, JSON.stringify(result))
  deepEqual(unserved.map(describe), [], 'nobody goes unserved')
  deepEqual([...twice, ...never].map(describe), [], 'each pays once')
  deepEqual(overcharged, [], 'each pays once with Nano')
  deepEqual(stillOpen, [])
  deepEqual(
    lines(settled.filter(({ network }) => network !== 'nano:mainnet')),
    lines(transfers),
    'books and chain agree',
  )
  equal(
    earned,
    sold.reduce((total, { amount }) => total + (BigInt(amount) * 95n) / 100n, 0n),
  )
  deepEqual(findings, [])
})

const describe = ({ kind, isForgetful, address, count }: Buyer) => ({ kind, isForgetful, address, ...count })
