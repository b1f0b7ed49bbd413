// Starts the cluster and runs rounds on it: see scripts/chaos.mjs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from '../../scripts/prepare.mjs'
import { unmountAll } from '../network/disk.mjs'
import { findProgram } from '../program.mjs'
import { recordRounds, recordShort, toRound, wrongIn } from './report.mjs'

/** How many faults come with this many payments. */
const sizeOf = (payments) => ({
  payments,
  kills: Math.ceil(payments / 20),
  crashes: Math.ceil(payments / 100),
  minutes: 15,
})

/** One short round with a drill of the alerts, or with `rounds` this many long ones, whose results add up over the days. */
export async function chaosOfCluster({ rounds, payments, seed }) {
  await prepare()
  const { openCluster, wideLimits } = await import('../cluster.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-chaos-'))
  const log = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
  const ports = Number(process.env.CLUSTER_PORT ?? 4_800)
  const settlesBy = rounds && findProgram('anvil') ? wayOf(seed) : 'key'
  const cluster = await openCluster({ folder, ports, settings: wideLimits(), isFragile: true, settlesBy, log })
  let hasFailed = true
  try {
    const { openShop } = await import('./shop.mjs')
    const shop = await openShop(cluster)
    hasFailed = rounds
      ? await runRounds({ cluster, shop, rounds, payments, seed, log })
      : await runShort({ cluster, shop, seed, log })
    shop.close()
  } finally {
    await cluster.close()
    unmountAll()
    // The logs say why.
    if (hasFailed) console.log(`The logs are in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
  process.exitCode = hasFailed ? 1 : 0
}

async function runShort({ cluster, shop, seed, log }) {
  const { runRound } = await import('./chaos.mjs')
  const { runAlertDrill } = await import('./alert-drill.mjs')
  const alerts = cluster.prometheus ? await runAlertDrill(cluster) : []
  for (const { what, firedAfter, endedAfter } of alerts)
    log(`${what}: fired after ${firedAfter} s, ended after ${endedAfter} s`)
  const found = await runRound(cluster, shop, { ...sizeOf(300), readsPerSecond: 60, seed, log })
  return recordShort(toRound(found, { seed, settlesBy: 'key' }), alerts)
}

/** Our key and a facilitator take turns. */
const wayOf = (seed) => (seed % 2 === 1 ? 'facilitator' : 'key')

/** The same cluster goes on from round to round. Ends with the first that finds something. */
async function runRounds({ cluster, shop, rounds, payments, seed, log }) {
  const { runRound } = await import('./chaos.mjs')
  for (let index = 0; index < rounds; index += 1) {
    const own = seed + index
    const settlesBy = cluster.parts.facilitator ? wayOf(own) : 'key'
    await cluster.settleBy(settlesBy)
    log(`round ${index + 1} of ${rounds}, seed ${own}, settled by ${settlesBy}`)
    const found = await runRound(cluster, shop, { ...sizeOf(payments), readsPerSecond: 40, seed: own, log })
    const round = toRound(found, { seed: own, settlesBy })
    recordRounds(round)
    const wrong = wrongIn(round)
    if (wrong.length > 0) {
      log(`wrong: ${wrong.join(', ')}`)
      console.log(JSON.stringify({ ...found, outages: undefined }, readable, 2))
      return true
    }
  }
  return false
}

const readable = (_name, value) => (typeof value === 'bigint' ? String(value) : value)
