import type { createCheckout, createTipCheckout } from '@pennypost/contract/checkout'
import type { ClientInput, ClientReply } from '@pennypost/contract/endpoint'
import { callApi } from '../call-api.ts'
import type { StartedPayment } from './nano-payment.tsx'

type Starting = typeof createCheckout | typeof createTipCheckout
type Started = Extract<ClientReply<Starting>['body'], { readonly payment: unknown }>

/** Starts a checkout in Nano, or returns the one that this idempotency key started before, in its current state. */
export async function startPayment<E extends Starting>(endpoint: E, input: ClientInput<E>): Promise<StartedPayment> {
  let clockAheadMs = 0
  const fetcher: typeof fetch = async (...args) => {
    const reply = await fetch(...args)
    const date = Date.parse(reply.headers.get('date') ?? '')
    if (!Number.isNaN(date)) clockAheadMs = date - Date.now()
    return reply
  }
  const { checkout, payment, checkoutCredential } = (await callApi(endpoint, input, fetcher)) as Started
  // The service withholds these only from guests with short idempotency keys; ours are long enough.
  const { address, uri } = payment!
  return { checkout, address, uri, credential: checkoutCredential!, clockAheadMs }
}
