import { hashBlock, isStateBlock, receiverOf, type StateBlock } from '@pennypost/nano/block'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Log } from '../../../platform/log.ts'

/** A send that the node reports as confirmed. A reason to check, not a proof. */
export interface ConfirmedSend {
  readonly hash: string
  readonly source: string
  readonly destination: string
}

/** A node's confirmation websocket. Events may be lost, repeated or late, so callers have to poll as well. */
export interface Confirmations {
  /** Watches an address until it is dropped in favor of newer ones. */
  watch(address: string): void
  /** Calls back for sends to watched addresses. Returns a function that stops it. */
  onSend(listener: (send: ConfirmedSend) => void): () => void
  /**
   * Calls back once the subscription is in effect, after the first connection and every later one. What was confirmed
   * before that was not reported. Returns a function that stops it.
   */
  onSubscribed(listener: () => void): () => void
  /** Whether there is something to report: a websocket is configured and addresses are watched. */
  isWanted(): boolean
  /** Whether the node reports confirmations now. */
  isSubscribed(): boolean
  close(): void
}

export interface ConfirmationsParts {
  /** A URL, or a function that returns it. Undefined if the node has no websocket; then there are no events. */
  readonly url: string | (() => Promise<string>) | undefined
  readonly log: Log
  readonly shortestPauseMs?: number
  /** How many addresses are watched at the same time. */
  readonly maxWatched?: number
}

/** Takes 11 MB here, somewhat more in the node, and 7 MB of traffic for each connection. */
export const maxWatchedAddresses = 100_000

// Addresses in one message. Nodes, and proxies in front of them, limit its size.
const maxInMessage = 5_000

// A node that recovers is connected again within seconds, however long it was unavailable.
const maxPauseMs = 5_000
const pingEveryMs = 20_000
const maxMessageBytes = 1024 * 1024

const Event = z.object({
  topic: z.literal('confirmation'),
  message: z.object({
    hash: z.string(),
    block: z.looseObject({ type: z.literal('state'), subtype: z.literal('send') }),
  }),
})

/** Connects when the first address is watched, and again whenever the connection is lost. */
export function openConfirmations({
  url,
  log,
  shortestPauseMs = 500,
  maxWatched = maxWatchedAddresses,
}: ConfirmationsParts): Confirmations {
  // Oldest first.
  const watched = new Set<string>()
  const listeners = new Set<(send: ConfirmedSend) => void>()
  const subscribedListeners = new Set<() => void>()
  let isSubscribed = false
  let socket: WebSocket | undefined
  let pauses = 0
  let isConnecting = false
  let isClosed = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    if (url === undefined || isClosed || isConnecting) return
    isConnecting = true
    try {
      const opened = new WebSocket(typeof url === 'string' ? url : await url(), { maxPayload: maxMessageBytes })
      socket = opened
      const keepAlive = pingRegularly(opened)
      opened.on('open', () => {
        pauses = 0
        const all = [...watched]
        const accounts = all.slice(0, maxInMessage)
        send({ action: 'subscribe', topic: 'confirmation', options: { accounts, include_block: 'true' } })
        for (let from = maxInMessage; from < all.length; from += maxInMessage)
          update({ accounts_add: all.slice(from, from + maxInMessage) })
        // A node handles messages in order: when it replies to this one, all addresses are subscribed.
        send({ action: 'ping' })
      })
      opened.on('message', (data) => onMessage(String(data)))
      // Every error is followed by a close.
      opened.on('error', (error) => log.warn({ cause: error.message }, 'the Nano websocket failed'))
      opened.on('close', () => {
        clearInterval(keepAlive)
        reconnectLater()
      })
    } catch (error) {
      log.warn({ cause: (error as Error).message }, 'the Nano websocket has no address')
      reconnectLater()
    }
  }

  function reconnectLater(): void {
    isConnecting = false
    isSubscribed = false
    socket = undefined
    if (isClosed) return
    retry = setTimeout(connect, Math.min(maxPauseMs, shortestPauseMs * 2 ** pauses))
    retry.unref()
    pauses += 1
  }

  function send(message: object): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  function onMessage(text: string): void {
    if (!isSubscribed && isPong(text)) {
      isSubscribed = true
      for (const listener of subscribedListeners) listener()
    }
    const found = confirmedSend(text)
    if (found && watched.has(found.destination)) for (const listener of listeners) listener(found)
  }

  function unwatchOldest(): void {
    const oldest = watched.values().next().value!
    watched.delete(oldest)
    update({ accounts_del: [oldest] })
  }

  const update = (options: object) => send({ action: 'update', topic: 'confirmation', options })
  return {
    watch(address) {
      if (watched.has(address)) return
      watched.add(address)
      if (watched.size > maxWatched) unwatchOldest()
      if (socket) update({ accounts_add: [address] })
      else void connect()
    },
    onSend(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onSubscribed(listener) {
      subscribedListeners.add(listener)
      return () => subscribedListeners.delete(listener)
    },
    isWanted: () => url !== undefined && watched.size > 0,
    isSubscribed: () => isSubscribed,
    close() {
      isClosed = true
      clearTimeout(retry)
      socket?.terminate()
    },
  }
}

/** A connection can die silently. One that has sent nothing since the last ping is considered dead. */
function pingRegularly(socket: WebSocket): NodeJS.Timeout {
  let hasSpoken = true
  socket.on('message', () => {
    hasSpoken = true
  })
  const timer = setInterval(() => {
    if (!hasSpoken) socket.terminate()
    hasSpoken = false
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ action: 'ping' }))
  }, pingEveryMs)
  timer.unref()
  return timer
}

const Pong = z.object({ ack: z.literal('pong') })
const isPong = (text: string): boolean => Pong.safeParse(jsonIn(text)).success

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Acknowledgements, other topics and garbage are ignored. */
function confirmedSend(text: string): ConfirmedSend | undefined {
  const event = Event.safeParse(jsonIn(text))
  if (!event.success) return undefined
  const { hash, block: fields } = event.data.message
  const block = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, String(value)]),
  ) as unknown as StateBlock
  if (!isStateBlock(block) || hashBlock(block) !== hash.toUpperCase()) return undefined
  return { hash: hash.toUpperCase(), source: block.account, destination: receiverOf(block) }
}
