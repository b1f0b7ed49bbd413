import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../bench/median.mjs'
import { recordTrials } from '../../bench/results.mjs'
import { prepare } from '../../scripts/prepare.mjs'

const sizes = {
  short: { payments: 300, kills: 20, crashes: 5, minutes: 10 },
  full: { payments: 10_000, kills: 500, crashes: 100, minutes: 150 },
}

/** Every address of the load generator is one of many people's, so limits are as wide as for many people. */
const wideLimits = async () => {
  const { limitsByName } = await import('../../contract/dist/contract.js')
  return [...limitsByName.keys()].map((name) => `${name}=100000/60`).join()
}

export async function chaosOfCluster(size) {
  await prepare()
  const { missingPackages, openCluster } = await import('../cluster.mjs')
  const missing = missingPackages()
  if (missing.length > 0)
    throw new Error(`Missing: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-chaos-'))
  const log = (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
  const cluster = await openCluster({ folder, ports: 4_600, settings: { LIMITS: await wideLimits() }, log })
  let hasFailed = true
  try {
    const { runChaos } = await import('./chaos.mjs')
    const { runAlertDrill } = await import('./alert-drill.mjs')
    const seed = Number(process.env.CHAOS_SEED ?? 1)
    const alerts = cluster.prometheus ? await runAlertDrill(cluster) : []
    for (const { what, firedAfter, endedAfter } of alerts)
      log(`${what}: fired after ${firedAfter} s, ended after ${endedAfter} s`)
    const found = await runChaos(cluster, { ...sizes[size], readsPerSecond: 60, seed, log })
    hasFailed = record(found, alerts)
  } finally {
    await cluster.close()
    // The logs say why.
    if (hasFailed) console.log(`The logs are in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
  process.exitCode = hasFailed ? 1 : 0
}

/** Writes the table. Returns whether something is wrong. */
function record(found, alerts) {
  const none = (label, count) => ({ label, ours: count, goal: 'none', isMet: count === 0 })
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
  const outages = (label, all) => ({
    label: `${label}: outages, their median and longest in seconds`,
    ours: `${all.length}; ${all.length > 0 ? median(all.map(({ seconds }) => seconds)).toFixed(1) : 0}; ${worst(all)}`,
  })
  const errors = Object.entries({ ...found.reading, ...found.buying }).filter(([status]) => /^5(?!0[234])/.test(status))
  const verdicts = [
    none('buyers without access at the end', found.unserved),
    none('wallets that lost something else than what they were served', found.overcharged.length),
    none('payments still open five minutes later', found.stillOpen),
    none('acknowledged and gone: comments', found.lost.comments),
    none('acknowledged and gone: posts', found.lost.posts),
    none('acknowledged and gone: images', found.lost.images),
    none(
      'replies 500',
      errors.reduce((sum, [, count]) => sum + count, 0),
    ),
    none('dead jobs', found.deadJobs.length),
    none('findings of the audit', found.findings.length),
    ...(alerts.length > 0
      ? [none('alerts that fired without a reason', alerts.flatMap(({ unexpected }) => unexpected).length)]
      : []),
  ]
  recordTrials({ name: 'cluster-chaos', title: 'The cluster while its parts die' }, [
    { label: 'minutes', ours: found.minutes.toFixed(0) },
    { label: 'payments, of which acknowledged and served', ours: `${found.payments.started}, ${found.payments.paid}` },
    { label: 'written meanwhile', ours: list(found.written) },
    ...Object.entries(found.faults)
      .sort()
      .map(([fault, times]) => ({ label: `fault: ${fault}`, ours: times })),
    {
      label: 'the standby took over, seconds until it took writes: median, longest',
      ours: `${found.takeovers.length} times; ${median(found.takeovers).toFixed(1)}; ${Math.max(...found.takeovers).toFixed(1)}`,
    },
    outages('reading a list', found.outages.reads),
    outages('changing a profile', found.outages.writes),
    { label: 'replies to readers', ours: list(found.reading) },
    { label: 'replies to buyers', ours: list(found.buying) },
    ...alerts.map(({ what, alerts: names, firedAfter, endedAfter }) => ({
      label: `${what}: seconds until ${names.join(' and ')} fired, and until all was quiet again (a minute of the rules is a second)`,
      ours: `${firedAfter.toFixed(0)}, ${endedAfter.toFixed(0)}`,
    })),
    ...verdicts,
  ])
  return verdicts.some(({ isMet }) => !isMet)
}

const worst = (all) => {
  const longest = all.toSorted((one, other) => other.seconds - one.seconds)[0]
  return longest ? `${longest.seconds.toFixed(1)} (after ${longest.after})` : '0'
}
