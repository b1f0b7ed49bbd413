import { pathOf } from './path-of.ts'
import { fetchSession } from './session.ts'

const againMs = 3000

/**
 * Hears each change of something until it is told to stop. The browser connects again by itself when the line breaks;
 * where the service refused, the session is renewed first.
 */
export function watchEvents<Told>(statusUrl: string, event: string, heard: (told: Told) => void): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    source = new EventSource(pathOf(statusUrl))
    source.addEventListener(event, ({ data }) => heard(JSON.parse(data)))
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(listenAgain, againMs)
    })
  }
  const listenAgain = async () => {
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
