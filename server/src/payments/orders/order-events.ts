import { Readable } from 'node:stream'
import { EventStream } from '@pennypost/contract/endpoint'
import type { Listener } from '../../platform/database/listener.ts'
import { prefersMediaType } from '../../platform/http/content-negotiation.ts'
import type { Log } from '../../platform/log.ts'

/** Streams changes of orders, whichever process makes them. */
export interface OrderEvents {
  /** Sends the record immediately and after every change, until it is paid. `read` is called each time. */
  stream(id: string, event: string, read: () => Promise<{ status: string } | undefined>): EventStream
  /** Ends all streams; clients connect again. */
  close(): void
}

/** Database triggers announce the order's id here (migration 26). */
const channel = 'orders'
const heartbeatMs = 15_000
// Clients reconnect automatically, with a token that is still valid.
const longestMs = 15 * 60_000
// A client that reads this slowly is gone.
const maxWaitingBytes = 256 * 1024

export const prefersEvents = (accept: string | undefined): boolean =>
  prefersMediaType(accept, 'text/event-stream', 'application/json')

export function openOrderEvents(listener: Listener, log: Log): OrderEvents {
  const watching = new Map<string, Set<() => void>>()
  const streams = new Set<Readable>()
  let stopListening: (() => void) | undefined

  const onNotification = (id: string | undefined) => {
    const listeners = id === undefined ? [...watching.values()].flatMap((each) => [...each]) : watching.get(id)
    for (const onChange of listeners ?? []) onChange()
  }

  function watch(id: string, onChange: () => void): () => void {
    stopListening ??= listener.on(channel, onNotification)
    const listeners = watching.get(id) ?? new Set()
    watching.set(id, listeners.add(onChange))
    return () => {
      listeners.delete(onChange)
      if (listeners.size === 0 && watching.get(id) === listeners) watching.delete(id)
    }
  }

  return {
    stream(id, event, read) {
      const text = new Readable({ read() {} })
      let last = ''
      let reading: Promise<void> = Promise.resolve()
      const say = (line: string) => {
        if (!text.readableEnded && !text.destroyed) text.push(line)
        if (text.readableLength > maxWaitingBytes) text.destroy()
      }
      const readOnce = async () => {
        const record = await read()
        const data = JSON.stringify(record)
        if (data !== last) say(`event: ${event}\ndata: ${data}\n\n`)
        last = data
        if (record?.status === 'paid' || record === undefined) end()
      }
      // One read after the other, so that an older state never follows a newer one.
      const readAgain = () => {
        reading = reading.then(readOnce).catch((error: Error) => {
          log.warn({ cause: error.message }, 'an order could not be read for its stream')
          end()
        })
      }
      const unwatch = watch(id, readAgain)
      // The order is read as well, because reading it schedules a check of its address.
      const heartbeat = setInterval(() => {
        say(':\n\n')
        readAgain()
      }, heartbeatMs)
      const limit = setTimeout(() => end(), longestMs)
      const leave = () => {
        unwatch()
        clearInterval(heartbeat)
        clearTimeout(limit)
        streams.delete(text)
      }
      const end = () => {
        if (streams.has(text)) text.push(null)
        leave()
      }
      streams.add(text)
      text.once('close', leave)
      readAgain()
      return new EventStream(text)
    },
    close() {
      stopListening?.()
      for (const text of streams) text.push(null)
      streams.clear()
    },
  }
}
