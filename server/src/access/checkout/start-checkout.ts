import { guestOrders } from '@pennypost/contract/checkout'
import type { Callers } from '@pennypost/contract/credential'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { paymentIdempotency } from '@pennypost/contract/idempotency'
import { checkoutSecret } from '../../accounts/checkout-secret.ts'
import { findNanoOrder } from '../../payments/orders/order-view.ts'
import { journalOrder } from '../../payments/recovery/journal-record.ts'
import type { Tx } from '../../platform/database/database.ts'
import { clientAddress } from '../../platform/http/client-address.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { withIdempotencyKey } from '../../platform/idempotency.ts'
import { enforceLimitOfIp } from '../../platform/limits/enforce-limit.ts'
import { withNextAddress } from '../../rails/nano/custody/addresses.ts'
import type { AccessServices } from '../services.ts'
import { nanoCheckoutView, nanoPaymentView } from './checkout-view.ts'

interface StartingCall {
  readonly caller: Callers['none'] | Callers['owner-session']
  readonly idempotencyKey: string
  readonly origin: string
  readonly ip: string
}

interface Started {
  readonly id: string
  readonly statusUrl: string
  /** Null for a replay by a guest whose key others might guess. */
  readonly checkoutCredential: string | null
  readonly replayed: boolean
}

type Scope = 'checkout' | 'checkout-tip'
/** Returns the checkout's id. */
type Open = (tx: Tx, accountId: string | null) => Promise<string>

/** Starts a checkout once for each key, for the account that is signed in or for a guest. */
export async function startCheckout(
  { db, clock, secrets }: AccessServices,
  { caller, idempotencyKey, origin, ip }: StartingCall,
  scope: Scope,
  intent: object,
  open: Open,
): Promise<Started> {
  const accountId = caller.kind === 'owner-session' ? caller.accountId : null
  // A short key of a guest could be guessed, or chosen by two of them: it counts for their IP address only. A long one is
  // the guest's own, whatever network their phone is on.
  const isGuessable = accountId === null && !/^[\x21-\x7e]{32,}$/.test(idempotencyKey)
  const request = {
    scope: `${scope}:${accountId ?? `guest ${isGuessable ? clientAddress(ip) : 'anywhere'}`}`,
    key: idempotencyKey,
    intent,
    now: clock.now(),
    flavour: paymentIdempotency,
  }
  const { body, replayed } = await withIdempotencyKey(db, request, async (tx) => ({
    status: 201,
    body: { id: await open(tx, accountId) },
  }))
  return {
    id: body.id,
    statusUrl: `${origin}/api/v1/checkout/sessions/${body.id}`,
    // Others share the IP address, so a key that could have been guessed does not get the credential again. A guest who
    // lost it starts over.
    checkoutCredential: replayed && isGuessable ? null : checkoutSecret.of(secrets, body.id),
    replayed,
  }
}

/**
 * Starts a checkout in Nano, and returns where to pay. Each takes an address that is watched for a month, so guests are
 * limited by IP address: nothing else tells them apart.
 */
export async function startNanoCheckout(
  services: AccessServices,
  call: StartingCall,
  scope: Scope,
  intent: object,
  open: Open,
) {
  const { id, statusUrl, checkoutCredential, replayed } = await withNextAddress(services, () =>
    startCheckout(services, call, scope, intent, async (tx, accountId) => {
      const orderId = await open(tx, accountId)
      if (accountId === null) await enforceLimitOfIp(services, guestOrders, call.ip)
      return orderId
    }),
  )
  // The key comes back after months, while its order is being deleted.
  const order = (await findNanoOrder(services.pool, id)) ?? refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 1 })
  // The promise is written down before the payer gets the address.
  await journalOrder(services, id)
  const shared = { checkout: nanoCheckoutView(order, services.clock.now()), statusUrl, replayed }
  const payment = nanoPaymentView(order, services.site.settings().name)
  if (!replayed) return { status: 201 as const, body: { ...shared, payment, checkoutCredential: checkoutCredential! } }
  // Without the credential the checkout may belong to someone else, who would get what the payer pays for.
  const isTold = checkoutCredential !== null
  return { status: 200 as const, body: { ...shared, payment: isTold ? payment : null, checkoutCredential } }
}
