import { PennypostError } from './errors.ts'
import { pause } from './http/send.ts'
import type { CallOptions, ServerEvent } from './operation.ts'

/** How the changes of an order are read: as a stream, or once. */
export interface OrderSource<Order> {
  readonly events: (signal: AbortSignal) => AsyncGenerator<ServerEvent<Order>, void>
  readonly read: () => Promise<Order>
  /** Whether no further change is expected. */
  readonly isOver: (order: Order) => boolean
}

export interface FollowOptions extends CallOptions {
  /** How long to follow the order at most. Default: 3900 seconds, a little longer than an offer is valid. */
  waitSeconds?: number | undefined
}

const defaultWaitSeconds = 3_900
const maxFailures = 8
const reconnectMs = 1_000
const maxReconnectMs = 30_000
// Timers cannot be longer.
const maxTimerMs = 2 ** 31 - 1

/**
 * Yields an order as it is, and again after every change until it is over. The service ends a stream after a while, and
 * connections break: then this connects again. A stream starts with the whole record, so no state is lost.
 */
export async function* followOrder<Order>(
  { events, read, isOver }: OrderSource<Order>,
  { signal, waitSeconds = defaultWaitSeconds }: FollowOptions,
): AsyncGenerator<Order, void> {
  const until = Date.now() + waitSeconds * 1000
  let last: string | undefined
  let failures = 0
  const isNew = (order: Order) => {
    const text = JSON.stringify(order)
    const differs = text !== last
    last = text
    return differs
  }
  for (;;) {
    // Also for a stream that stays open and says nothing.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), Math.min(until - Date.now(), maxTimerMs))
    try {
      const ending = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal
      for await (const { data } of events(ending)) {
        failures = 0
        if (isNew(data)) yield data
        if (isOver(data)) return
        if (Date.now() > until) break
      }
    } catch (error) {
      signal?.throwIfAborted()
      failures += 1
      if (!isTemporary(error) || failures > maxFailures) throw error
      // Too many streams are open, or they do not pass a proxy: a look now and then will do.
      const order = await read().catch(() => undefined)
      if (order !== undefined) {
        failures = 0
        if (isNew(order)) yield order
        if (isOver(order)) return
      }
    } finally {
      clearTimeout(timer)
    }
    if (Date.now() > until) {
      const detail = `The order is not over after ${waitSeconds} seconds. Follow it again to go on.`
      throw new PennypostError({ code: 'timeout', detail })
    }
    await pause(Math.min(reconnectMs * 2 ** failures, maxReconnectMs), signal)
  }
}

const isTemporary = (error: unknown): boolean =>
  !(error instanceof PennypostError) || error.status === 0 || error.status === 429 || error.status >= 500

/** The order once it is paid. Throws `order-ended` if it expired or was cancelled before. */
export async function untilPaid<Order extends { readonly status: string }>(
  orders: AsyncGenerator<Order, void>,
): Promise<Order> {
  let status = 'unknown'
  for await (const order of orders) {
    status = order.status
    if (status === 'received' || status === 'paid') return order
  }
  const detail = `The order is ${status}, and was not paid. A full payment that arrives within a day still counts.`
  throw new PennypostError({ code: 'order-ended', detail, details: { status } })
}
