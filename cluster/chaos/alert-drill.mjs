// Breaks one thing after the other until its alert fires, and checks that the alert ends and that no other one fires.
import { until } from '../people.mjs'

/** What is done, and the alerts that it must cause. Others may follow from it: `also`. */
const drills = [
  { what: 'a web process is gone', parts: ({ processes }) => [named(processes, 'web-1')], alerts: ['PennypostDown'] },
  {
    what: 'no worker is left',
    parts: ({ processes }) => processes.filter(({ kind }) => kind === 'worker'),
    alerts: ['PennypostNoWorker'],
    also: ['PennypostDown', 'PennypostFiguresMissing'],
  },
  {
    what: 'the Nano node is gone',
    parts: ({ parts }) => [parts.nano],
    alerts: ['PennypostNanoNode', 'PennypostDegraded'],
    also: ['PennypostNanoWebsocket', 'PennypostNotReady', 'PennypostCallsFail', 'PennypostErrors'],
  },
  {
    what: 'the mail server is gone',
    parts: ({ parts }) => [parts.smtp],
    alerts: ['PennypostDegraded'],
    also: ['PennypostCallsFail'],
  },
]

/** Fire for a reason that has nothing to do with a drill: nobody has made a backup or run the audit here. */
const always = ['PennypostBackupOld', 'PennypostAuditOld']

const named = (list, name) => list.find((each) => each.name === name)

/** Returns a line for each drill: seconds until its alerts fired and until they ended, and those that should not have fired. */
export async function runAlertDrill(cluster) {
  const { prometheus } = cluster
  const firing = async () => (await prometheus.firing()).filter((name) => !always.includes(name))
  await until('no alert fires', async () => (await firing()).length === 0, { withinMs: 180_000 })
  const results = []
  for (const { what, parts, alerts, also = [] } of drills) {
    const broken = parts(cluster)
    const seen = new Set()
    const look = async () => {
      const now = await firing()
      for (const name of now) seen.add(name)
      return now
    }
    const began = Date.now()
    for (const part of broken) await part.kill()
    const fires = async () => {
      const now = await look()
      return alerts.every((name) => now.includes(name))
    }
    await until(`${alerts.join(', ')} fires`, fires, { withinMs: 120_000 })
    const firedAfter = (Date.now() - began) / 1_000
    const repaired = Date.now()
    await Promise.all(broken.map((part) => part.start()))
    const isQuiet = async () => {
      const now = await look()
      return now.length === 0
    }
    await until('the alerts end', isQuiet, { withinMs: 240_000 })
    const unexpected = [...seen].filter((name) => !alerts.includes(name) && !also.includes(name))
    results.push({ what, alerts, firedAfter, endedAfter: (Date.now() - repaired) / 1_000, unexpected })
  }
  return results
}
