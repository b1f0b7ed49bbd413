// Requests that queue for processors: a simulation in place of a formula, because a request queues more than once.
import { randomFrom } from '../../server/dist/access/chaos/saboteur.fixture.js'

/**
 * Sends requests at random moments through `stations` and returns how long they took in milliseconds, sorted. A station has
 * `servers` that each do one thing at a time; a station with `isSplit` has a queue for each server, as processes behind a
 * balancer have. `kinds` have a `share` and `visits`: the stations one after the other, with the mean milliseconds at each.
 */
export function simulate({ stations, kinds, perSecond, requests = 100_000, seed = 1 }) {
  const random = randomFrom(seed)
  const exponential = (mean) => -mean * Math.log(1 - random())
  const free = Object.fromEntries(
    Object.entries(stations).map(([name, { servers }]) => [name, new Float64Array(servers)]),
  )
  const events = createHeap()
  const lots = kinds.map((kind, index) => ({
    kind,
    upTo: kinds.slice(0, index + 1).reduce((sum, { share }) => sum + share, 0),
  }))
  const anyKind = () => {
    const lot = random() * lots.at(-1).upTo
    return lots.find(({ upTo }) => lot < upTo).kind
  }
  let arrival = 0
  for (let index = 0; index < requests; index += 1) {
    arrival += exponential(1_000 / perSecond)
    events.push({ at: arrival, began: arrival, visit: 0, kind: anyKind() })
  }
  const took = []
  for (let event = events.pop(); event; event = events.pop()) {
    const { at, began, visit, kind } = event
    const next = kind.visits[visit]
    if (!next) {
      took.push(at - began)
      continue
    }
    const servers = free[next.station]
    const server = stations[next.station].isSplit
      ? Math.floor(random() * servers.length)
      : servers.indexOf(Math.min(...servers))
    // Events come in the order of time, so who came first is served first.
    const end = Math.max(at, servers[server]) + exponential(next.mean)
    servers[server] = end
    events.push({ at: end, began, visit: visit + 1, kind })
  }
  return took.sort((one, other) => one - other)
}

/** The highest rate at which `isGood` holds, between nothing and `most`, to two per cent. */
export function highestRate(most, isGood) {
  let [low, high] = [0, most]
  while (high - low > 0.02 * high) {
    const middle = (low + high) / 2
    if (isGood(middle)) low = middle
    else high = middle
  }
  return low
}

/** The earliest event first. */
function createHeap() {
  const items = []
  const swap = (one, other) => ([items[one], items[other]] = [items[other], items[one]])
  return {
    push(item) {
      let index = items.push(item) - 1
      const parentOf = (child) => (child - 1) >> 1
      for (; index > 0 && items[parentOf(index)].at > items[index].at; index = parentOf(index))
        swap(parentOf(index), index)
    },
    pop() {
      if (items.length < 2) return items.pop()
      const [first] = items
      items[0] = items.pop()
      for (let index = 0; ; ) {
        const [left, right] = [2 * index + 1, 2 * index + 2]
        const child = right < items.length && items[right].at < items[left].at ? right : left
        if (child >= items.length || items[child].at >= items[index].at) return first
        swap(child, index)
        index = child
      }
    },
  }
}
