// What a request of each kind costs each part of the cluster: the figures of the capacity model (cluster/capacity).
import { setTimeout as wait } from 'node:timers/promises'
import { processorSeconds } from '../processor-time.mjs'
import { sendMix } from './mix.mjs'

const seconds = 15
const perSecond = 60

/** Parts that do the same are one. */
const partsOf = ({ postgres, parts, processes }) => {
  const pidsOf = (kind) => processes.filter((each) => each.kind === kind).map(({ pid }) => pid())
  return {
    web: pidsOf('web'),
    worker: pidsOf('worker'),
    signer: pidsOf('signer'),
    primary: [postgres.primary().pid()],
    standby: [postgres.standby().pid()],
    pgbouncer: [parts.pgbouncer.pid()],
    redis: [parts.redis.pid()],
    haproxy: [parts.haproxy.pid()],
  }
}

const secondsByPart = (cluster) => ({
  ...mapValues(partsOf(cluster), (pids) => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0)),
  // This process, which makes the load on the same machine.
  generator: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
})

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** Milliseconds of processor time in each part for each of `act`'s `count` units, without what runs anyway. */
export async function costOf(cluster, idle, act) {
  const [before, began] = [secondsByPart(cluster), performance.now()]
  const count = await act()
  const [after, elapsed] = [secondsByPart(cluster), (performance.now() - began) / 1_000]
  return mapValues(after, (used, part) => {
    const milliseconds = ((used - before[part] - idle[part] * elapsed) * 1_000) / count
    return Number(Math.max(0, milliseconds).toFixed(3))
  })
}

/** Cores that each part takes while nobody does anything. */
export async function idleCores(cluster) {
  const before = secondsByPart(cluster)
  await wait(seconds * 1_000)
  return mapValues(secondsByPart(cluster), (used, part) => Number(((used - before[part]) / seconds).toFixed(4)))
}

export async function costsOfKinds(cluster, mix, idle) {
  const costs = {}
  for (const kind of mix) {
    costs[kind.name] = await costOf(cluster, idle, async () => {
      const { statuses } = await sendMix(cluster.origin, [kind], { perSecond, seconds })
      return Object.values(statuses).reduce((sum, count) => sum + count, 0)
    })
  }
  return costs
}
