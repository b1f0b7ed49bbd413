import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { NodeUnreachable } from '../../node-errors.ts'
import { type Confirmations, maxWatchedAddresses } from './confirmations.ts'
import type { NodeClient } from './node-client.ts'
import type { Receivable } from './node-replies.ts'

/** An address that was given to a payer. */
export interface WatchedAddress {
  readonly address: string
  readonly since: Date
  readonly expiresAt: Date
  /** When the money arrived that it was given out for. Null if it has not. */
  readonly paidAt: Date | null
  /** Less than this is dust, which is ignored. */
  readonly leastRaw: bigint
}

/** The list of watched addresses. None is ever dropped, because money may come late. Old ones are checked on request. */
export interface AddressBook {
  /** Lists addresses that are due for a check, the longest overdue first. */
  listDue(now: Date, most: number): Promise<readonly WatchedAddress[]>
  /** Records that these were checked, and when to check them again. */
  scheduleChecks(checks: readonly NextCheck[], now: Date): Promise<void>
  /** Makes the addresses due now that would be due within this time. */
  bringForward(now: Date, withinMs: number): Promise<void>
  /** Lists the newest addresses, newest first, open or not. */
  listNewest(most: number): Promise<readonly string[]>
}

export interface NextCheck {
  readonly address: string
  /** Null: only on request. */
  readonly at: Date | null
}

export interface AddressWatcher {
  /** Subscribes the websocket to an address that is new in the book. */
  watch(watched: WatchedAddress): void
  /** Makes the next check subscribe to the newest addresses again. Call it when announcements may have been lost. */
  watchNewestAgain(): void
  /** Checks everything that is due, once. Returns the number of addresses. */
  checkDue(): Promise<number>
  /** Resolves when every websocket event so far has been followed up. */
  hintsFollowed(): Promise<void>
  /** Checks every second from now on. */
  start(): void
  stop(): Promise<void>
}

export interface WatcherParts {
  readonly client: NodeClient
  readonly confirmations: Confirmations
  readonly clock: Clock
  readonly log: Log
  readonly book: AddressBook
  /** How long an address is checked after it was paid or expired. */
  readonly watchDays: number
  /**
   * Called when money is receivable at an address. `found` is everything that the node lists there, or undefined after a
   * websocket event, which is only a hint. It is called again until the money is received, so it must be idempotent.
   * Returns whether the node shows anything there.
   */
  onPayment(address: string, found: readonly Receivable[] | undefined): Promise<boolean>
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const forever = Number.POSITIVE_INFINITY
// The websocket reports payments immediately. Checks find what it missed.
const openAndReported = [{ forMs: forever, everyMs: 30 * second }]
const open = [
  { forMs: 10 * minute, everyMs: 3 * second },
  { forMs: forever, everyMs: 10 * second },
]
// Late money can buy for a day.
const expired = [
  { forMs: hour, everyMs: minute },
  { forMs: day, everyMs: 10 * minute },
  { forMs: 7 * day, everyMs: 6 * hour },
  { forMs: forever, everyMs: day },
]
// Only a second payment can still arrive, which goes back.
const paid = [
  { forMs: day, everyMs: hour },
  { forMs: forever, everyMs: day },
]

/**
 * When to check an address again: often while it is open, less and less often after it has expired, rarely once it is paid.
 * Null after `watchDays`: then only on request.
 */
export function nextCheckAt(
  { since, expiresAt, paidAt }: Omit<WatchedAddress, 'address' | 'leastRaw'>,
  now: Date,
  { isReported, watchDays }: { readonly isReported: boolean; readonly watchDays: number },
): Date | null {
  const isOpen = paidAt === null && now < expiresAt
  const ageMs = now.getTime() - (isOpen ? since : (paidAt ?? expiresAt)).getTime()
  if (!isOpen && ageMs >= watchDays * day) return null
  const steps = paidAt ? paid : !isOpen ? expired : isReported ? openAndReported : open
  return new Date(now.getTime() + steps.find(({ forMs }) => ageMs < forMs)!.everyMs)
}

type Found = ReadonlyMap<string, readonly Receivable[]>

// The number of addresses in one request to a node.
const addressesPerRequest = 100
const afterFailureMs = 10 * second
const afterHintMs = 3 * second
// Open addresses, and those that expired less than a day ago, are checked at least this often.
const soonMs = 10 * minute
const concurrency = 8

export function createAddressWatcher({
  client,
  confirmations,
  clock,
  log,
  book,
  watchDays,
  onPayment,
}: WatcherParts): AddressWatcher {
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<unknown> = Promise.resolve()
  const hints = new Set<Promise<void>>()
  let isWatchingNewest = false
  let stopOnSubscribed: (() => void) | undefined
  const stopListening = confirmations.onSend(({ destination }) =>
    follow(followHint(destination), 'a payment hint could not be followed; the next check will find the payment'),
  )

  function follow(act: Promise<void>, problem: string): void {
    const done = act
      .catch((error: Error) => log.warn({ cause: error.message }, problem))
      .finally(() => hints.delete(done))
    hints.add(done)
  }

  /**
   * Checks an address after a websocket event. The node may be behind the one that sent the event, or unreachable. The
   * next check of an old address may be a day away, so if nothing is found, it is brought forward.
   */
  async function followHint(address: string): Promise<void> {
    let isThere = false
    try {
      isThere = await onPayment(address, undefined)
    } finally {
      const now = clock.now()
      if (!isThere) await book.scheduleChecks([{ address, at: new Date(now.getTime() + afterHintMs) }], now)
    }
  }

  /** Returns undefined if the node does not support the request or its reply is invalid. Then each address is fetched alone. */
  async function fetchTogether(due: readonly WatchedAddress[]): Promise<Found | undefined> {
    try {
      return await client.receivableOfMany(
        due.map(({ address, leastRaw }) => ({ account: address, threshold: leastRaw })),
      )
    } catch (error) {
      if (error instanceof NodeUnreachable) throw error
      log.warn({ cause: (error as Error).message }, 'a Nano node did not serve a request for several addresses')
      return undefined
    }
  }

  async function checkAddress({ address, leastRaw }: WatchedAddress, found: Found | undefined): Promise<void> {
    const there = found ? (found.get(address) ?? []) : await client.receivable(address, leastRaw)
    if (there.length > 0) await onPayment(address, there)
  }

  function nextCheck(watched: WatchedAddress): NextCheck {
    const now = clock.now()
    // An expired address stays subscribed, so that late money is noticed immediately too.
    if (now < watched.expiresAt && watched.paidAt === null) confirmations.watch(watched.address)
    return {
      address: watched.address,
      at: nextCheckAt(watched, now, { isReported: confirmations.isSubscribed(), watchDays }),
    }
  }

  /** If the node is unreachable, all addresses stay due. If only one address fails, the others are still checked. */
  async function checkAll(due: readonly WatchedAddress[]): Promise<number> {
    if (due.length === 0) return 0
    const waiting = [...due]
    const failures: unknown[] = []
    const checks: NextCheck[] = []
    const checkWaiting = async (found: Found | undefined) => {
      for (let watched = waiting.shift(); watched; watched = waiting.shift()) {
        try {
          await checkAddress(watched, found)
          checks.push(nextCheck(watched))
        } catch (error) {
          failures.push(error)
          if (error instanceof NodeUnreachable) waiting.length = 0
          else checks.push({ address: watched.address, at: new Date(clock.now().getTime() + afterFailureMs) })
        }
      }
    }
    try {
      const found = await fetchTogether(due)
      await Promise.all(Array.from({ length: concurrency }, () => checkWaiting(found)))
    } catch (error) {
      failures.push(error)
    }
    if (checks.length > 0) await book.scheduleChecks(checks, clock.now())
    if (failures.length > 0) {
      log.warn({ cause: (failures[0] as Error).message, failures: failures.length }, 'addresses could not be checked')
    }
    return failures.length
  }

  return {
    watch: ({ address }) => confirmations.watch(address),
    watchNewestAgain() {
      isWatchingNewest = false
    },
    async checkDue() {
      const due = await book.listDue(clock.now(), addressesPerRequest)
      await checkAll(due)
      return due.length
    },
    start() {
      // Nothing was reported while there was no connection, so open addresses are checked right away.
      stopOnSubscribed = confirmations.onSubscribed(() =>
        follow(book.bringForward(clock.now(), soonMs), 'addresses could not be checked after a new connection'),
      )
      /** Subscribes to addresses that were given out before this process started or while it was not listening. */
      const watchNewest = async () => {
        isWatchingNewest = true
        try {
          for (const address of (await book.listNewest(maxWatchedAddresses)).toReversed()) confirmations.watch(address)
        } catch (error) {
          isWatchingNewest = false
          throw error
        }
      }
      const checkOnce = async () => {
        let pauseMs = second
        try {
          if (!isWatchingNewest) await watchNewest()
          const due = await book.listDue(clock.now(), addressesPerRequest)
          const failures = await checkAll(due)
          // There may be more due than one page lists.
          if (due.length === addressesPerRequest && failures === 0) pauseMs = 0
        } catch (error) {
          log.warn({ cause: (error as Error).message }, 'watched addresses could not be listed')
        }
        if (timer) timer = setTimeout(again, pauseMs)
      }
      const again = () => {
        checking = checkOnce()
      }
      timer = setTimeout(again, 0)
    },
    async hintsFollowed() {
      await Promise.all(hints)
    },
    async stop() {
      clearTimeout(timer)
      timer = undefined
      stopListening()
      stopOnSubscribed?.()
      await Promise.all([checking, ...hints])
    },
  }
}
