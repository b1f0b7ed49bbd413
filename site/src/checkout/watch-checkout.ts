import { getCheckout, type NanoCheckout } from '@pennypost/contract/checkout'
import type { ClientReply } from '@pennypost/contract/endpoint'
import { callApiWithToken, streamApi } from '../call-api.ts'

/** A checkout as the service reports it. Once it is paid, a guest gets a session. */
export type CheckoutStatus = ClientReply<typeof getCheckout>['body'] & { readonly checkout: NanoCheckout }

interface Watched {
  readonly id: string
  readonly credential: string
}

export const readCheckout = async ({ id, credential }: Watched): Promise<CheckoutStatus> =>
  (await callApiWithToken(credential, getCheckout, { params: { checkoutId: id } })) as CheckoutStatus

// The first event comes immediately. If it does not, something between us and the service holds the stream back.
const silenceMs = 5000
const pollMs = 3000
const pollsBeforeNextStream = 5

/**
 * Reports a checkout in Nano now and after each change until it is paid: from its event stream, or by polling while that
 * does not work. Phones freeze a page and its connection while the wallet is open, so it starts again when the
 * page is shown again.
 */
export function watchCheckout(watched: Watched, onChange: (status: CheckoutStatus) => unknown) {
  let isStopped = false
  let connection = new AbortController()
  const stop = () => {
    isStopped = true
    connection.abort()
    document.removeEventListener('visibilitychange', reconnect)
    removeEventListener('online', reconnect)
  }
  const report = (status: CheckoutStatus) => {
    if (isStopped) return
    if (status.checkout.status === 'paid') stop()
    onChange(status)
  }
  const refresh = () => readCheckout(watched).then(report, () => undefined)
  const listen = async ({ signal }: AbortController) => {
    const input = { params: { checkoutId: watched.id } }
    while (!signal.aborted) {
      const stream = new AbortController()
      const end = () => stream.abort()
      signal.addEventListener('abort', end)
      const silence = setTimeout(end, silenceMs)
      try {
        for await (const { data } of streamApi(watched.credential, getCheckout, input, stream.signal)) {
          clearTimeout(silence)
          report(data as CheckoutStatus)
        }
      } catch {
        // For any reason: polling goes on, and the next stream may work.
      }
      clearTimeout(silence)
      signal.removeEventListener('abort', end)
      for (let polls = 0; polls < pollsBeforeNextStream && !signal.aborted; polls += 1) {
        await refresh()
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
    }
  }
  const reconnect = () => {
    if (document.visibilityState === 'hidden' || isStopped) return
    connection.abort()
    connection = new AbortController()
    listen(connection)
  }
  document.addEventListener('visibilitychange', reconnect)
  addEventListener('online', reconnect)
  listen(connection)
  return { refresh, stop }
}
