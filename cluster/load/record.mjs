import { recordTrials } from '../../bench/results.mjs'
import { at, goalMs } from './mix.mjs'

/** In a minute with more than this, the host of a virtual machine decides the p99: fifty requests are late. */
const maxStolenMs = 500

/** Writes what `runLoad` found into bench/RESULTS.md. */
export function record(found, minutes) {
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} × ${name}`)
      .join(', ')
  const isQuiet = ({ stolenMs }) => stolenMs <= maxStolenMs
  // On a host that is never quiet, all minutes count.
  const quiet = found.held.some(isQuiet) ? found.held.filter(isQuiet) : found.held
  const p99s = quiet.map(({ p99 }) => p99).sort((one, other) => one - other)
  const others = found.held.filter((each) => !quiet.includes(each))
  const stolenSeconds = others.reduce((sum, { stolenMs }) => sum + stolenMs, 0) / 1_000
  const statuses = {}
  for (const each of found.held)
    for (const [status, count] of Object.entries(each.statuses)) statuses[status] = (statuses[status] ?? 0) + count
  const peak = (memory) => Math.max(...Object.values(memory))
  recordTrials({ name: 'cluster-load', title: 'The cluster under load' }, [
    {
      label: `requests a second with p99 under ${goalMs} ms: 95 % reads, 5 % comments and reactions, and a purchase every second`,
      ours: found.rate,
    },
    {
      label: `the same for ${minutes} minutes: median and highest p99 of a minute, ms`,
      ours: `${at(p99s, 0.5).toFixed(0)}, ${p99s.at(-1).toFixed(0)}`,
      goal: `under ${goalMs}`,
      isMet: p99s.at(-1) < goalMs,
    },
    ...(others.length > 0
      ? [
          {
            label: `not counted: minutes in which the host took processors away for more than ${maxStolenMs} ms`,
            ours: `${others.length}; ${stolenSeconds.toFixed(0)} s in all, their highest p99 ${Math.max(...others.map(({ p99 }) => p99)).toFixed(0)} ms`,
          },
        ]
      : []),
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
      label: `sales with Nano a second, ${found.sales.buyers} buyers, two workers, work as fast as from a work server`,
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
