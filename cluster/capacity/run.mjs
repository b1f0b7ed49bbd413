// Prints what services of several sizes need, and what breaks first: the tables of docs/scale.md.
import { at, goalMs } from '../load/mix.mjs'
import { costOf, costs, needsOf, peakOf, smallService, timesAsLarge, visitsOf } from './model.mjs'
import { highestRate, simulate } from './simulate.mjs'

const factors = [1, 10, 100, 1_000]

export function runCapacity() {
  checkSimulation()
  checkAgainstThisMachine()
  printNeeds()
}

/** A queue with a known result: one server, 80 % busy with tasks of 10 ms, takes 50 ms on average. */
function checkSimulation() {
  const kinds = [{ share: 1, visits: [{ station: 'server', mean: 10 }] }]
  const took = simulate({ stations: { server: { servers: 1 } }, kinds, perSecond: 80, requests: 1_000_000 })
  const mean = took.reduce((sum, each) => sum + each, 0) / took.length
  console.log(`A queue that should take 50.0 ms: ${mean.toFixed(1)} ms\n`)
  if (Math.abs(mean - 50) > 2.5) throw new Error('the simulation is wrong')
}

/** Everything of the cluster shares the machine that it was measured on, and so does the program that sends the requests. */
function checkAgainstThisMachine() {
  const cores = Number(/(\d+) cores/.exec(costs.measuredOn)[1])
  const kinds = Object.entries(costs.shares).map(([kind, share]) => ({
    share,
    visits: [{ station: 'machine', mean: Object.values(costs.requests[kind]).reduce((sum, each) => sum + each, 0) }],
  }))
  const idle = Object.values(costs.idle).reduce((sum, each) => sum + each, 0)
  const average = kinds.reduce((sum, { share, visits }) => sum + (share / 100) * visits[0].mean, 0)
  const isGood = (perSecond) => {
    const took = simulate({ stations: { machine: { servers: cores } }, kinds, perSecond })
    return at(took, 0.99) < goalMs
  }
  const rate = highestRate((cores * 1_000) / average, isGood)
  console.log(
    `All on ${cores} cores: ${average.toFixed(1)} ms of processor time for a request, idle ${idle.toFixed(2)} cores; ` +
      `p99 under ${goalMs} ms up to ${rate.toFixed(0)} requests a second\n`,
  )
}

function printNeeds() {
  const services = factors.map((factor) => timesAsLarge(smallService, factor))
  const all = services.map((service) => ({ service, needs: needsOf(service), peak: peakOf(service) }))
  const row = (label, show) => console.log(`| ${[label, ...all.map(show)].join(' | ')} |`)
  const whole = (value) => Math.ceil(value).toLocaleString('en')
  row('', (_, index) => `${factors[index]}x`)
  console.log(`|---|${'--:|'.repeat(all.length)}`)
  row('views a day', ({ service }) => whole(service.viewsPerDay))
  row('sales a day', ({ service }) => whole(service.salesPerDay))
  row('requests a second at the peak', ({ peak }) => whole(Object.values(peak.requests).reduce((a, b) => a + b, 0)))
  row('sales a second at the peak', ({ peak }) => peak.sales.toFixed(2))
  for (const part of Object.keys(costs.idle).filter((name) => name !== 'generator'))
    row(`busy cores: ${part}`, ({ needs }) => needs.busy[part].toFixed(2))
  row('web processes', ({ needs }) => needs.web)
  row('workers', ({ needs }) => needs.worker)
  row('cores of the primary', ({ needs }) => needs.primary)
  row('p99 of requests with these, simulated, ms', ({ needs, peak }) => simulatedP99(needs, peak).toFixed(0))
  row('million hashes a second for Nano', ({ needs }) => whole(needs.megahashes))
  row('GB of database after a year', ({ needs }) => whole(needs.databaseGrowth))
  row('TB a month to readers', ({ needs }) => needs.egressTerabytes.toFixed(1))
  row('Mbit/s to readers at the peak', ({ needs }) => whole(needs.egressMegabits))
  row('minutes to email a post to every account', ({ needs }) => whole(needs.newsletterMinutes))
  row('euros a month', ({ needs }) => whole(costOf(needs).total))
  row('of these: machines, storage, traffic, work', ({ needs }) => {
    const { machines, storage, traffic, work } = costOf(needs)
    return [machines, storage, traffic, work].map(whole).join(', ')
  })
}

function simulatedP99(needs, peak) {
  const perSecond = Object.values(peak.requests).reduce((sum, each) => sum + each, 0)
  const stations = {
    web: { servers: needs.web, isSplit: true },
    primary: { servers: needs.primary },
    standby: { servers: needs.standby },
  }
  return at(simulate({ stations, kinds: visitsOf(), perSecond }), 0.99)
}
