import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../entries-at-most.ts'
import { clientAddress, clientNetwork } from './client-address.ts'

/** Lets each client have a few requests in progress. Its further ones wait until one of them has finished. */
export interface ConcurrencyLimit {
  /**
   * Starts the task when the client may have another one in progress. Never starts it if the client has left or has far too
   * many waiting.
   */
  run(client: LimitedClient, task: () => Promise<unknown>): void
  /** Whether requests are in progress, or were a moment ago. */
  isInUse(): boolean
}

export interface LimitedClient {
  readonly ip: string
  hasLeft(): boolean
  /** Called if this request cannot even wait: because of the client's own requests, or because of everyone's. */
  reject(because: 'own' | 'everyone'): void
  /** Requests with the same key cost hardly more than one of them: those that wait start together, as one. */
  readonly sharedKey?: string | undefined
}

interface Waiting {
  readonly client: LimitedClient
  readonly task: () => Promise<unknown>
}

interface Bounds {
  /** The most requests of one client in progress. */
  readonly ofClient: number
  /** While this many are in progress, of all clients, no client starts a second one. */
  readonly together: number
  /** The most requests of one client that wait. Only one that sends without waiting for replies can have more than connections. */
  readonly waiting: number
  /**
   * Turns further clients away once the requests in progress would take about a second, because late replies delay everyone.
   * Never below `from` in progress, always at `to`. One /48 of IPv6 has half of these places at most: one customer may be
   * 65,536 clients there.
   */
  readonly all?: { readonly from: number; readonly to: number }
}

const momentMs = 300
// The unshared part of a request, writing its reply, takes a tenth of a millisecond.
const maxTogether = 32
const allInProgress = { from: 50, to: 300 }
const maxWaitMs = 1_000
// The weight of each request in the moving average of their duration.
const learningRate = 0.05
const standard: Bounds = { ofClient: 4, together: Math.max(2, availableParallelism()), waiting: 1000 }

/**
 * One client's requests can neither fill the queue of the event loop nor take all database connections. The first request
 * of a client always starts immediately. So does its second while the processor has time; otherwise it waits. A browser
 * sends six at a time, which costs it some milliseconds. A classroom behind one address that opens one page waits for one
 * page, not for thirty. When too many clients come at the same time, some are turned away immediately, so that the others
 * are served.
 */
export function createConcurrencyLimit(bounds: Bounds = standard, now = () => performance.now()): ConcurrencyLimit {
  const { ofClient, together, waiting: maxWaiting, all = allInProgress } = bounds
  const running = new Map<string, number>()
  const waiting = new Map<string, Waiting[]>()
  const networks = new Map<string, number>()
  const places = new LRUCache<string, ClientNetwork>(entriesAtMost(10_000))
  /** The average time between two finished requests, while several are in progress. */
  let everyMs = maxWaitMs / all.to
  let busySince = 0
  let inProgress = 0
  let lastEndedAt = Number.NEGATIVE_INFINITY

  function placeOf(ip: string): ClientNetwork {
    const known = places.get(ip)
    if (known !== undefined) return known
    const place = { address: clientAddress(ip), network: clientNetwork(ip) }
    places.set(ip, place)
    return place
  }

  function mayStart(address: string): boolean {
    const own = running.get(address) ?? 0
    return own === 0 || (own < ofClient && inProgress < together)
  }

  function start({ address, network }: ClientNetwork, task: () => Promise<unknown>): void {
    change(running, address, 1)
    if (network !== undefined) change(networks, network, 1)
    inProgress += 1
    if (inProgress === together + 1) busySince = now()
    const finish = () => {
      change(running, address, -1)
      if (network !== undefined) change(networks, network, -1)
      const endedAt = now()
      if (inProgress > together) everyMs += learningRate * (endedAt - Math.max(lastEndedAt, busySince) - everyMs)
      inProgress -= 1
      lastEndedAt = endedAt
      startNext(address)
      // Clients take turns in the order in which they began to wait. One that was served goes to the end.
      for (const other of waiting.keys()) {
        if (inProgress >= together) break
        startNext(other)
      }
    }
    task().then(finish, finish)
  }

  /** Whether a new client would wait for more than about a second, or its network has too many requests already. */
  function isTooMuch(network: string | undefined): boolean {
    const most = Math.max(all.from, Math.min(all.to, Math.floor(maxWaitMs / everyMs)))
    return inProgress >= most || (network !== undefined && (networks.get(network) ?? 0) >= most / 2)
  }

  /** Takes the oldest request of a queue whose client is still there, and those that share its work, as one task. */
  function takeFrom(queue: Waiting[]): (() => Promise<unknown>) | undefined {
    const at = queue.findIndex(({ client }) => !client.hasLeft())
    if (at === -1) return undefined
    const first = queue.splice(0, at + 1).at(-1)!
    const { sharedKey } = first.client
    if (sharedKey === undefined) return first.task
    const tasks = [first.task]
    for (let index = 0; index < queue.length && tasks.length < maxTogether; ) {
      if (queue[index]!.client.sharedKey !== sharedKey) index += 1
      else tasks.push(queue.splice(index, 1)[0]!.task)
    }
    return () => Promise.allSettled(tasks.map((task) => task()))
  }

  /** Starts the oldest request of a client that waits, if it may. */
  function startNext(address: string): void {
    const queue = waiting.get(address)
    if (!queue || !mayStart(address)) return
    waiting.delete(address)
    const { ip } = queue[0]!.client
    const task = takeFrom(queue)
    if (!task) return
    if (queue.length > 0) waiting.set(address, queue)
    start(placeOf(ip), task)
  }

  return {
    run(client, task) {
      const place = placeOf(client.ip)
      const { address, network } = place
      const queue = waiting.get(address)
      if (!running.has(address) && isTooMuch(network)) client.reject('everyone')
      else if (!queue && mayStart(address)) start(place, task)
      else if (!queue) waiting.set(address, [{ client, task }])
      else if (queue.length < maxWaiting) queue.push({ client, task })
      else client.reject('own')
    },
    isInUse: () => inProgress > 0 || now() - lastEndedAt < momentMs,
  }
}

/** The limit for requests that present a payment. They take seconds, mostly waiting for a chain. */
export const createPaymentLimit = (): ConcurrencyLimit =>
  createConcurrencyLimit({ ofClient: 8, together: 64, waiting: 1000, all: { from: 300, to: 300 } })

/** The network that a client counts as, and with IPv6 also its /48. */
interface ClientNetwork {
  readonly address: string
  readonly network: string | undefined
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const left = (counts.get(key) ?? 0) + by
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}
