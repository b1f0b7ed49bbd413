import { LRUCache } from 'lru-cache'
import { clientAddress } from './client-address.ts'

/** Lets each client have a few requests in progress. Its further ones wait until one of them has finished. */
export interface Turns {
  /** Starts the task when it is the client's turn; never if the client has left or has far too many waiting. */
  take(client: TurnClient, task: () => Promise<unknown>): void
}

export interface TurnClient {
  readonly ip: string
  hasLeft(): boolean
  /** Called if this request can not even wait. */
  reject(): void
}

interface Waiting {
  readonly client: TurnClient
  readonly task: () => Promise<unknown>
}

// A browser sends six requests at once: two of them wait for some milliseconds. Four are enough to use two cores.
const standardRunning = 4
// Only a client that sends requests without waiting for replies can have more than it may have connections.
const standardWaiting = 1000

/**
 * One client's reads can neither fill the queue of the event loop nor take all database connections: somebody else's
 * read waits for four of them at most, however many have been sent.
 */
export function createTurns(mostRunning = standardRunning, mostWaiting = standardWaiting): Turns {
  const running = new Map<string, number>()
  const waiting = new Map<string, Waiting[]>()
  const addresses = new LRUCache<string, string>({ max: 10_000 })

  function addressOf(ip: string): string {
    const known = addresses.get(ip)
    if (known !== undefined) return known
    const address = clientAddress(ip)
    addresses.set(ip, address)
    return address
  }

  function nextOf(address: string): Waiting | undefined {
    const queue = waiting.get(address) ?? []
    const at = queue.findIndex(({ client }) => !client.hasLeft())
    const [next] = queue.splice(0, at === -1 ? queue.length : at + 1).slice(-1)
    if (queue.length === 0) waiting.delete(address)
    return at === -1 ? undefined : next
  }

  function start(address: string, task: () => Promise<unknown>): void {
    const finish = () => startNext(address)
    task().then(finish, finish)
  }

  function startNext(address: string): void {
    const next = nextOf(address)
    if (next) {
      start(address, next.task)
      return
    }
    const left = running.get(address)! - 1
    if (left > 0) running.set(address, left)
    else running.delete(address)
  }

  return {
    take(client, task) {
      const address = addressOf(client.ip)
      const count = running.get(address) ?? 0
      if (count < mostRunning) {
        running.set(address, count + 1)
        start(address, task)
        return
      }
      const queue = waiting.get(address)
      if (!queue) waiting.set(address, [{ client, task }])
      else if (queue.length < mostWaiting) queue.push({ client, task })
      else client.reject()
    },
  }
}
