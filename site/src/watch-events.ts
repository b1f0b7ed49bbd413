import { pathOf } from './path-of.ts'
import { fetchSession } from './session.ts'

const reconnectMs = 3000

/**
 * Listens to a stream of server-sent events. Returns a function that stops it. The browser reconnects after network
 * errors; after a refusal we renew the session first, because the access token may have expired.
 */
export function watchEvents<Data>(statusUrl: string, event: string, onEvent: (data: Data) => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    source = new EventSource(pathOf(statusUrl))
    source.addEventListener(event, ({ data }) => onEvent(JSON.parse(data)))
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(reconnect, reconnectMs)
    })
  }
  const reconnect = async () => {
    await fetchSession().catch(() => undefined)
    if (timer !== undefined) listen()
  }
  listen()
  return () => {
    clearTimeout(timer)
    timer = undefined
    source?.close()
  }
}
