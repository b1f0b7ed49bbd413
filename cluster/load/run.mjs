import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { recordTrials } from '../../bench/results.mjs'
import { createNanoBuyer, createTally } from '../chaos/buyers.mjs'
import { untilQuiet } from '../chaos/verdict.mjs'
import { openNanoNetwork, publish, register } from '../people.mjs'
import { at, createMix, sendMix } from './mix.mjs'

const price = 10n ** 28n
const goalMs = 100
const stepSeconds = 15
const firstRate = 50

/** Finds the highest rate with a p99 under the goal, holds it for some minutes, then sends three times as much. */
export async function runLoad(cluster, { minutes, log }) {
  const { origin, parts, processes } = cluster
  const network = openNanoNetwork(parts.nano)
  const author = await register(cluster)
  await author.session.savePayoutAddress({ body: { payoutAddress: network.wallet().address } })
  const postIds = []
  for (let index = 0; index < 100; index += 1)
    postIds.push(await publish(author, { title: `On engines, part ${index}`, priceRaw: price }))
  const readers = [await register(cluster, 'Bob'), await register(cluster, 'Eve')]
  const mix = createMix({ postIds, readers })

  log('warming up')
  await sendMix(origin, mix, { perSecond: firstRate, seconds: stepSeconds })
  let rate = firstRate
  for (;;) {
    const next = Math.round(rate * 1.3)
    const { p99, statuses } = await sendMix(origin, mix, { perSecond: next, seconds: stepSeconds })
    log(`${next} a second: p99 ${p99.toFixed(0)} ms, ${JSON.stringify(statuses)}`)
    if (p99 > goalMs || Object.keys(statuses).some((status) => !/^[23]/.test(status))) break
    rate = next
  }

  log(`holding ${rate} a second for ${minutes} minutes, with purchases`)
  const over = new AbortController()
  const tally = createTally()
  const purchases = { count: 0, milliseconds: [] }
  const buying = buyAllTheTime({ origin, network, postIds, tally, purchases, until: over.signal })
  const held = []
  const memory = [memoryOf(processes)]
  for (let minute = 0; minute < minutes; minute += 1) {
    held.push(await sendMix(origin, mix, { perSecond: rate, seconds: 60 }))
    memory.push(memoryOf(processes))
    log(`minute ${minute + 1}: p99 ${held.at(-1).p99.toFixed(0)} ms, ${Math.max(...Object.values(memory.at(-1)))} MB`)
  }
  over.abort()
  await buying

  log('sales and quotes')
  const sales = await measureSales({ cluster, network, postIds, tally })
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
  network.close()
  purchases.milliseconds.sort((one, other) => one - other)
  return {
    rate,
    held,
    memory,
    memoryAfter: memoryOf(processes),
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
  return { perSecond: sold / salesSeconds, paidOutAfter: left === 0 ? (Date.now() - ended) / 1_000 : undefined }
}

/** The price of a post for a program: each has an address of its own. */
const quoteOf = (postIds) => ({
  share: 1,
  expects: 402,
  ask: () => ({ path: `/api/posts/${postIds[Math.floor(Math.random() * postIds.length)]}/access` }),
})

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

export async function loadOfCluster(minutes) {
  const { missingPackages, openCluster } = await import('../cluster.mjs')
  const missing = missingPackages()
  if (missing.length > 0)
    throw new Error(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`)
  const { limitsByName } = await import('../../contract/dist/contract.js')
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-load-'))
  const log = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
  // The readers are many people, whose addresses are a few here.
  const settings = { LIMITS: [...limitsByName.keys()].map((name) => `${name}=100000/1`).join() }
  const cluster = await openCluster({ folder, ports: 4_700, settings, log })
  try {
    record(await runLoad(cluster, { minutes, log }), minutes)
  } finally {
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function record(found, minutes) {
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
  const p99s = found.held.map(({ p99 }) => p99).sort((one, other) => one - other)
  const statuses = {}
  for (const each of found.held)
    for (const [status, count] of Object.entries(each.statuses)) statuses[status] = (statuses[status] ?? 0) + count
  const peak = (memory) => Math.max(...Object.values(memory))
  recordTrials({ name: 'cluster-load', title: 'The cluster under load' }, [
    {
      label: `requests a second with p99 under ${goalMs} ms: 95 % reads, 5 % comments and reactions`,
      ours: found.rate,
    },
    {
      label: `the same for ${minutes} minutes with purchases: median and highest p99 of a minute, ms`,
      ours: `${at(p99s, 0.5).toFixed(0)}, ${p99s.at(-1).toFixed(0)}`,
      goal: `under ${goalMs}`,
      isMet: p99s.at(-1) < goalMs,
    },
    { label: 'its replies', ours: list(statuses) },
    {
      label: 'purchases with Nano meanwhile, p50 and p99 in ms',
      ours: `${found.purchases.count}; ${at(found.purchases.milliseconds, 0.5).toFixed(0)}, ${at(found.purchases.milliseconds, 0.99).toFixed(0)}`,
    },
    {
      label: 'memory of the largest process, MB (PSS): before, in the middle, at the end',
      ours: [found.memory[0], found.memory[Math.floor(found.memory.length / 2)], found.memory.at(-1)]
        .map(peak)
        .join(', '),
    },
    {
      label: 'half a minute after all of it',
      ours: peak(found.memoryAfter),
      goal: 'under 200',
      isMet: peak(found.memoryAfter) < 200,
    },
    {
      label: `sales with Nano a second, ${salesAtOnce} buyers, two workers, work as fast as from a work server`,
      ours: found.sales.perSecond.toFixed(1),
      goal: 'at least 5',
      isMet: found.sales.perSecond >= 5,
    },
    {
      label: 'seconds after that until every author was paid',
      ours: found.sales.paidOutAfter?.toFixed(0) ?? 'over 300',
    },
    {
      label: '20 quotes a second: replies, p99 in ms',
      ours: `${list(found.quotes.statuses)}; ${found.quotes.p99.toFixed(0)}`,
      goal: 'all 402',
      isMet: Object.keys(found.quotes.statuses).join() === '402',
    },
    {
      label: `three times as much (${found.rate * 3} a second) for 30 s: replies`,
      ours: list({ ...found.flood.statuses, 'not sent': found.flood.skipped }),
    },
    { label: 'of these, p99 of what was served, ms', ours: found.flood.p99.toFixed(0) },
    { label: 'Retry-After of those that were turned away', ours: found.flood.retryAfter.join(', ') || 'none was' },
    {
      label: 'seconds until p99 was under the goal again',
      ours: found.recovered?.toFixed(1) ?? 'over 60',
      goal: 'under 10',
      isMet: found.recovered < 10,
    },
  ])
}
