import { Readable } from 'node:stream'
import { EventStream } from '@pennypost/contract/endpoint'
import type { Listener } from '../../platform/database/listener.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { prefersMediaType } from '../../platform/http/content-negotiation.ts'
import type { Log } from '../../platform/log.ts'

/** Streams changes of orders, whichever process makes them. */
export interface OrderEvents {
  /**
   * Sends the record immediately and after every change, until it is paid. `read` is called once for all streams of an
   * order. Returns undefined if the viewer or the IP address has too many streams.
   */
  stream(watched: WatchedOrder, read: () => Promise<OrderRecord | undefined>): EventStream | undefined
  /** How many streams are open. */
  count(): number
  /** Ends all streams; clients connect again. */
  close(): void
}

export interface WatchedOrder {
  /** The id of the order, or of a checkout that has no order yet. */
  readonly id: string
  readonly event: OrderEvent
  /** The account, or the checkout's credential. */
  readonly viewer: string
  readonly ip: string
}

const orderEventNames = ['purchase', 'tip', 'checkout'] as const
type OrderEvent = (typeof orderEventNames)[number]

type OrderRecord = { readonly status: string } | { readonly checkout: { readonly status: string } }

const isPaid = (record: OrderRecord): boolean =>
  ('checkout' in record ? record.checkout.status : record.status) === 'paid'

export interface StreamLimits {
  readonly perAccount: number
  readonly perAddress: number
}

/** Database triggers announce the order's id here (migration 26). */
const channel = 'orders'
const heartbeatMs = 15_000
// Clients reconnect automatically, with a token that is still valid.
const maxStreamMs = 15 * 60_000
// A client that reads this slowly is gone.
const maxWaitingBytes = 256 * 1024

export const prefersEvents = (accept: string | undefined): boolean =>
  prefersMediaType(accept, 'text/event-stream', 'application/json')

/** The streams of one order. It is read once for all of them. */
class OrderStreams {
  readonly streams = new Set<Readable>()
  readonly viewer: string
  readonly #event: string
  readonly #read: () => Promise<OrderRecord | undefined>
  readonly #log: Log
  readonly #heartbeat: NodeJS.Timeout
  #message: string | undefined
  #reading: Promise<void> = Promise.resolve()
  #isReadPending = false

  constructor({ event, viewer }: WatchedOrder, read: () => Promise<OrderRecord | undefined>, log: Log) {
    this.viewer = viewer
    this.#event = event
    this.#read = read
    this.#log = log
    // The order is read as well, because reading it schedules a check of its address.
    this.#heartbeat = setInterval(() => {
      this.#send(':\n\n')
      this.readAgain()
    }, heartbeatMs)
  }

  add(text: Readable): void {
    this.streams.add(text)
    if (this.#message !== undefined) text.push(this.#message)
    this.readAgain()
  }

  /** Reads after the read that is running, so that an older state never follows a newer one. */
  readAgain(): void {
    if (this.#isReadPending) return
    this.#isReadPending = true
    this.#reading = this.#reading.then(() => this.#readOnce())
  }

  async #readOnce(): Promise<void> {
    this.#isReadPending = false
    try {
      const record = await this.#read()
      const message = `event: ${this.#event}\ndata: ${JSON.stringify(record)}\n\n`
      if (record && message !== this.#message) this.#send(message)
      this.#message = message
      if (record === undefined || isPaid(record)) this.endAll()
    } catch (error) {
      this.#log.warn({ cause: (error as Error).message }, 'an order could not be read for its stream')
      this.endAll()
    }
  }

  #send(line: string): void {
    for (const text of this.streams) {
      text.push(line)
      if (text.readableLength > maxWaitingBytes) text.destroy()
    }
  }

  /** Ends one stream. Nothing may be pushed after its end, so it is removed first. */
  end(text: Readable): void {
    if (this.streams.delete(text)) text.push(null)
  }

  endAll(): void {
    for (const text of [...this.streams]) this.end(text)
  }

  stop(): void {
    clearInterval(this.#heartbeat)
  }
}

export function openOrderEvents(listener: Listener, log: Log, limits: StreamLimits): OrderEvents {
  // By event and id, because a purchase and a checkout show different views of the same order.
  const orders = new Map<string, OrderStreams>()
  const counts = new Map<string, number>()
  let stopListening: (() => void) | undefined

  const onNotification = (id: string | undefined) => {
    const changed =
      id === undefined ? [...orders.values()] : orderEventNames.map((event) => orders.get(`${event} ${id}`))
    for (const order of changed) order?.readAgain()
  }
  const count = (subject: string, change: 1 | -1) => {
    const changed = (counts.get(subject) ?? 0) + change
    if (changed > 0) counts.set(subject, changed)
    else counts.delete(subject)
  }

  return {
    stream(watched, read) {
      const { viewer, ip } = watched
      const key = `${watched.event} ${watched.id}`
      const [account, address] = [`viewer ${viewer}`, `address ${clientAddress(ip)}`]
      const isFull = (counts.get(account) ?? 0) >= limits.perAccount || (counts.get(address) ?? 0) >= limits.perAddress
      if (isFull) return undefined
      stopListening ??= listener.on(channel, onNotification)
      const known = orders.get(key)
      // A purchase can move to another account, which must not share a read with the first.
      if (known && known.viewer !== viewer) known.endAll()
      const order = known?.viewer === viewer ? known : new OrderStreams(watched, read, log)
      orders.set(key, order)
      const text = new Readable({ read() {} })
      const timer = setTimeout(() => order.end(text), maxStreamMs)
      let isOpen = true
      const leave = () => {
        if (!isOpen) return
        isOpen = false
        clearTimeout(timer)
        order.streams.delete(text)
        for (const subject of [account, address]) count(subject, -1)
        if (order.streams.size > 0) return
        order.stop()
        if (orders.get(key) === order) orders.delete(key)
      }
      for (const subject of [account, address]) count(subject, 1)
      text.once('close', leave)
      order.add(text)
      return new EventStream(text)
    },
    count: () => [...orders.values()].reduce((sum, { streams }) => sum + streams.size, 0),
    close() {
      stopListening?.()
      for (const order of [...orders.values()]) {
        order.stop()
        order.endAll()
      }
    },
  }
}
