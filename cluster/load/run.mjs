import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { machine } from '../../bench/results.mjs'
import { stolenMs } from '../../bench/watch-host.mjs'
import { createNanoBuyer } from '../chaos/buyers.mjs'
import { createTally } from '../chaos/tally.mjs'
import { untilQuiet } from '../chaos/verdict.mjs'
import { openNanoNetwork, publish, register } from '../people.mjs'
import { costOf, costsOfKinds, idleCores } from './costs.mjs'
import { createMix, goalMs, sendMix } from './mix.mjs'
import { record } from './record.mjs'

const price = 10n ** 28n
const stepSeconds = 15
const firstRate = 50
const room = 0.5

/** An author with posts to sell, readers, and a network with money. */
async function openShop(cluster) {
  const network = openNanoNetwork(cluster.parts.nano)
  const author = await register(cluster)
  await author.session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
  const postIds = []
  for (let index = 0; index < 100; index += 1)
    postIds.push(await publish(author, { title: `On engines, part ${index}`, priceRaw: price }))
  // Many, because the service makes those wait who write more than others.
  const readers = []
  for (let index = 0; index < 50; index += 1) readers.push(await register(cluster, 'Bob'))
  return { network, postIds, mix: createMix({ postIds, readers }) }
}

/** What a request of each kind and a sale cost each part in processor time. */
async function measureCosts(cluster, { log }) {
  const { network, postIds, mix } = await openShop(cluster)
  await sendMix(cluster.origin, mix, { perSecond: firstRate, seconds: stepSeconds })
  log('doing nothing')
  const idle = await idleCores(cluster)
  log('each kind of request alone')
  const requests = await costsOfKinds(cluster, mix, idle)
  log('sales')
  let sold = 0
  const sale = await costOf(cluster, idle, async () => {
    const sales = await measureSales({ cluster, network, postIds, tally: createTally() })
    sold = sales.sold
    return sold
  })
  network.close()
  const shares = Object.fromEntries(mix.map(({ name, share }) => [name, share]))
  return { measuredOn: machine(), sold, shares, idle, requests, sale }
}

/** Finds the highest rate with a p99 under the goal, holds it for some minutes, then sends three times as much. */
export async function runLoad(cluster, { minutes, log }) {
  const { origin, processes } = cluster
  const { network, postIds, mix } = await openShop(cluster)

  const over = new AbortController()
  const purchases = { count: 0, milliseconds: [] }
  const buying = buyAllTheTime({ origin, network, postIds, tally: createTally(), purchases, until: over.signal })
  // Until the code is compiled: a rate that is held at all is held better after a minute.
  log('warming up')
  await sendMix(origin, mix, { perSecond: firstRate, seconds: 60 })
  let rate = firstRate
  for (;;) {
    const next = Math.round(rate * 1.3)
    const { p99, statuses } = await sendMix(origin, mix, { perSecond: next, seconds: stepSeconds })
    log(`${next} a second: p99 ${p99.toFixed(0)} ms, ${JSON.stringify(statuses)}`)
    if (p99 > goalMs || Object.keys(statuses).some((status) => !/^[23]/.test(status))) break
    rate = next
  }
  // The worst of thirty minutes is worse than the first, so a rate is held only if it has some room.
  while (rate > firstRate) {
    const { p99 } = await sendMix(origin, mix, { perSecond: rate, seconds: 60 })
    log(`${rate} a second for a minute: p99 ${p99.toFixed(0)} ms`)
    if (p99 < goalMs * room) break
    rate = Math.round(rate / 1.3)
  }

  log(`holding ${rate} a second for ${minutes} minutes`)
  const held = []
  const memory = [memoryOf(processes)]
  for (let minute = 0; minute < minutes; minute += 1) {
    const stolenBefore = stolenMs()
    const sent = await sendMix(origin, mix, { perSecond: rate, seconds: 60 })
    held.push({ ...sent, stolenMs: stolenMs() - stolenBefore })
    memory.push(memoryOf(processes))
    const stolen = `the host took ${held.at(-1).stolenMs} ms away`
    log(
      `minute ${minute + 1}: p99 ${sent.p99.toFixed(0)} ms, ${Math.max(...Object.values(memory.at(-1)))} MB, ${stolen}`,
    )
  }
  over.abort()
  await buying

  log('sales and quotes')
  const sales = await measureSales({ cluster, network, postIds, tally: createTally() })
  const quotes = await sendMix(origin, [quoteOf(postIds)], { perSecond: 20, seconds: 30 })

  log('three times as much')
  const flood = await sendMix(origin, mix, { perSecond: rate * 3, seconds: 30 })
  const floodEnded = Date.now()
  let recovered
  while (recovered === undefined && Date.now() - floodEnded < 60_000) {
    const { p99, statuses } = await sendMix(origin, mix, { perSecond: rate / 2, seconds: 1 })
    if (p99 < goalMs && Object.keys(statuses).every((status) => /^[23]/.test(status)))
      recovered = (Date.now() - floodEnded) / 1_000
  }
  await wait(30_000)
  const memoryAfter = memoryOf(processes)
  log(`memory half a minute later: ${JSON.stringify(memoryAfter)}`)
  network.close()
  purchases.milliseconds.sort((one, other) => one - other)
  return {
    rate,
    held,
    memory,
    memoryAfter,
    purchases,
    sales,
    quotes,
    flood,
    recovered,
  }
}

const salesAtOnce = 24
const salesSeconds = 60

/** Many wallets buy as fast as they can. Counts what was sold, and how long payouts to authors took after that. */
async function measureSales({ cluster, network, postIds, tally }) {
  const { origin, postgres } = cluster
  const buyers = await Promise.all(
    Array.from({ length: salesAtOnce }, () => createNanoBuyer({ origin, network, funds: 101n * price, tally })),
  )
  const over = AbortSignal.timeout(salesSeconds * 1_000)
  let sold = 0
  await Promise.all(
    buyers.map(async (buyer) => {
      for (const postId of postIds) {
        if (over.aborted) return
        if (await buyer.buy(postId, over)) sold += 1
      }
    }),
  )
  const ended = Date.now()
  const left = await untilQuiet(postgres.primary().urlOf('pennypost'))
  return {
    sold,
    buyers: salesAtOnce,
    perSecond: sold / salesSeconds,
    paidOutAfter: left === 0 ? (Date.now() - ended) / 1_000 : undefined,
  }
}

/** The price of a post for a program: each offer has its own address. */
const quoteOf = (postIds) => ({
  share: 1,
  expects: 402,
  ask: () => ({ path: `/api/posts/${postIds[Math.floor(Math.random() * postIds.length)]}/access` }),
})

/** Someone buys something every second. */
async function buyAllTheTime({ origin, network, postIds, tally, purchases, until }) {
  while (!until.aborted) {
    const buyer = await createNanoBuyer({ origin, network, funds: 101n * price, tally })
    for (const postId of postIds) {
      if (until.aborted) break
      const began = performance.now()
      if (await buyer.buy(postId, until)) {
        purchases.count += 1
        purchases.milliseconds.push(performance.now() - began)
      }
      await wait(Math.max(0, 1_000 - (performance.now() - began)))
    }
  }
}

/** Proportional set size of each process in megabytes: pages that several share are counted once in all. */
const memoryOf = (processes) =>
  Object.fromEntries(
    processes.map(({ name, pid }) => {
      const [, kilobytes] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid()}/smaps_rollup`, 'utf8')) ?? []
      return [name, Math.round(Number(kilobytes) / 1_024)]
    }),
  )

/** Opens a cluster for `act`. */
async function withCluster(act) {
  const { openCluster, wideLimits } = await import('../cluster.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-load-'))
  const log = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
  const ports = Number(process.env.CLUSTER_PORT ?? 4_700)
  const cluster = await openCluster({ folder, ports, settings: wideLimits(), log })
  try {
    await act(cluster, log)
  } finally {
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const loadOfCluster = (minutes) =>
  withCluster(async (cluster, log) => record(await runLoad(cluster, { minutes, log }), minutes))

/** Writes the figures of the capacity model. */
export const costsOfCluster = () =>
  withCluster(async (cluster, log) => {
    const file = new URL('../capacity/costs.json', import.meta.url)
    writeFileSync(file, `${JSON.stringify(await measureCosts(cluster, { log }), null, 2)}\n`)
  })
