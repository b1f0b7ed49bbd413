import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { NodeUnreachable } from '../../node-errors.ts'
import { type Confirmations, mostWatchedAddresses } from './confirmations.ts'
import type { Receivable } from './node-answers.ts'
import type { NodeClient } from './node-client.ts'

/** An address that was given to a payer. */
export interface WatchedAddress {
  readonly address: string
  readonly since: Date
  readonly expiresAt: Date
  /** Less than this is dust, which is ignored. */
  readonly leastRaw: bigint
}

/** The list of watched addresses. None is ever dropped, because money may come late. */
export interface AddressBook {
  /** Addresses that are due to be looked at, the longest overdue first. */
  listDue(now: Date, most: number): Promise<readonly WatchedAddress[]>
  /** Sets when to look again at each of them. */
  lookAgain(looks: readonly NextLook[]): Promise<void>
  /** The newest addresses, the newest first, whether or not they are open. */
  listNewest(most: number): Promise<readonly string[]>
}

export interface NextLook {
  readonly address: string
  readonly at: Date
}

export interface AddressWatcher {
  /** Subscribes the websocket to an address that is new in the book. */
  watch(watched: WatchedAddress): void
  /** New addresses may have gone unheard: the next look subscribes the websocket to the newest in the book again. */
  watchNewestAgain(): void
  /** Looks at everything that is due, once. Returns how many addresses that were. */
  lookAtDue(): Promise<number>
  /** Looks every second from now on. */
  start(): void
  stop(): Promise<void>
}

export interface WatcherParts {
  readonly client: NodeClient
  readonly confirmations: Confirmations
  readonly clock: Clock
  readonly log: Log
  readonly book: AddressBook
  /**
   * Something waits at an address: all that is there, from a look at the node; undefined from the websocket, which is
   * only a hint. Comes again until it is received, so it must be harmless to hear twice. Returns whether the node shows
   * anything there.
   */
  onPayment(address: string, found: readonly Receivable[] | undefined): Promise<boolean>
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const whileOpen = [
  { forMs: 10 * minute, everyMs: 3 * second },
  { forMs: Number.POSITIVE_INFINITY, everyMs: 10 * second },
]
const afterExpiry = [
  { forMs: hour, everyMs: minute },
  { forMs: day, everyMs: 10 * minute },
  { forMs: 7 * day, everyMs: hour },
  { forMs: 30 * day, everyMs: 6 * hour },
  { forMs: Number.POSITIVE_INFINITY, everyMs: day },
]

/** When to look at an address again: often while it is open, then less and less often, but always. */
export function nextLookAt({ since, expiresAt }: Pick<WatchedAddress, 'since' | 'expiresAt'>, now: Date): Date {
  const isOpen = now < expiresAt
  const ageMs = now.getTime() - (isOpen ? since : expiresAt).getTime()
  const { everyMs } = (isOpen ? whileOpen : afterExpiry).find(({ forMs }) => ageMs < forMs)!
  return new Date(now.getTime() + everyMs)
}

type Found = ReadonlyMap<string, readonly Receivable[]>

// For one request to a node.
const mostAtOnce = 100
const afterFailureMs = 10 * second
const afterHintMs = 3 * second
const concurrency = 8

export function createAddressWatcher({
  client,
  confirmations,
  clock,
  log,
  book,
  onPayment,
}: WatcherParts): AddressWatcher {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<unknown> = Promise.resolve()
  const heard = new Set<Promise<void>>()
  let isWatchingNewest = false
  const stopListening = confirmations.onSend(({ destination }) => {
    const done = followHint(destination)
      .catch((error: Error) =>
        log.warn({ cause: error.message }, 'a payment hint was not taken; the next look finds it'),
      )
      .finally(() => heard.delete(done))
    heard.add(done)
  })

  /**
   * The node that is asked may be behind the one that sent the hint, or out of reach. The next look at an old address is
   * up to a day away, so a hint that shows nothing brings it forward.
   */
  async function followHint(address: string): Promise<void> {
    let isThere = false
    try {
      isThere = await onPayment(address, undefined)
    } finally {
      if (!isThere) await book.lookAgain([{ address, at: new Date(clock.now().getTime() + afterHintMs) }])
    }
  }

  /** Undefined: the node does not support the request, or replies badly. Then each address is asked about alone. */
  async function askTogether(due: readonly WatchedAddress[]): Promise<Found | undefined> {
    try {
      return await client.receivableOfMany(
        due.map(({ address, leastRaw }) => ({ account: address, threshold: leastRaw })),
      )
    } catch (error) {
      if (error instanceof NodeUnreachable) throw error
      log.warn(
        { cause: (error as Error).message },
        'a Nano node could not be asked about several addresses in one request',
      )
      return undefined
    }
  }

  async function lookAt({ address, leastRaw }: WatchedAddress, found: Found | undefined): Promise<void> {
    const there = found ? (found.get(address) ?? []) : await client.receivable(address, leastRaw)
    if (there.length > 0) await onPayment(address, there)
  }

  function nextLook(watched: WatchedAddress): NextLook {
    const now = clock.now()
    // An expired address stays subscribed where it was, so that late money is noticed immediately too.
    if (now < watched.expiresAt) confirmations.watch(watched.address)
    return { address: watched.address, at: nextLookAt(watched, now) }
  }

  /** Without a node nothing can be looked at, and all stay due. One address that fails alone must not hold up the others. */
  async function lookAtAll(due: readonly WatchedAddress[]): Promise<number> {
    if (due.length === 0) return 0
    const waiting = [...due]
    const failures: unknown[] = []
    const looks: NextLook[] = []
    const lookOn = async (found: Found | undefined) => {
      for (let watched = waiting.shift(); watched; watched = waiting.shift()) {
        try {
          await lookAt(watched, found)
          looks.push(nextLook(watched))
        } catch (error) {
          failures.push(error)
          if (error instanceof NodeUnreachable) waiting.length = 0
          else looks.push({ address: watched.address, at: new Date(clock.now().getTime() + afterFailureMs) })
        }
      }
    }
    try {
      const found = await askTogether(due)
      await Promise.all(Array.from({ length: concurrency }, () => lookOn(found)))
    } catch (error) {
      failures.push(error)
    }
    if (looks.length > 0) await book.lookAgain(looks)
    if (failures.length > 0) {
      log.warn({ cause: (failures[0] as Error).message, failures: failures.length }, 'addresses could not be looked at')
    }
    return failures.length
  }

  return {
    watch: ({ address }) => confirmations.watch(address),
    watchNewestAgain() {
      isWatchingNewest = false
    },
    async lookAtDue() {
      const due = await book.listDue(clock.now(), mostAtOnce)
      await lookAtAll(due)
      return due.length
    },
    start() {
      /** Addresses given out before this process began, or while it did not hear of them, are subscribed to as well. */
      const watchNewest = async () => {
        isWatchingNewest = true
        try {
          for (const address of (await book.listNewest(mostWatchedAddresses)).toReversed()) confirmations.watch(address)
        } catch (error) {
          isWatchingNewest = false
          throw error
        }
      }
      const look = async () => {
        let pauseMs = second
        try {
          if (!isWatchingNewest) await watchNewest()
          const due = await book.listDue(clock.now(), mostAtOnce)
          const failures = await lookAtAll(due)
          // More may be due than were listed.
          if (due.length === mostAtOnce && failures === 0) pauseMs = 0
        } catch (error) {
          log.warn({ cause: (error as Error).message }, 'watched addresses could not be listed')
        }
        if (timer) timer = setTimeout(again, pauseMs)
      }
      const again = () => {
        looking = look()
      }
      timer = setTimeout(again, 0)
    },
    async stop() {
      clearTimeout(timer)
      timer = undefined
      stopListening()
      await Promise.all([looking, ...heard])
    },
  }
}
