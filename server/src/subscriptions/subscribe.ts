import { validation } from '@pennypost/contract/errors'
import { isReservedHandle } from '@pennypost/contract/handle'
import { creatorNotFound } from '@pennypost/contract/public-pages'
import { confirmationLimit, type subscribe as declared, selfSubscription } from '@pennypost/contract/subscribers'
import { countConfirmation } from '../accounts/mailbox-limits.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { enforceLimit } from '../platform/limits/enforce-limit.ts'
import { sendSubscriptionConfirmation } from './send-subscription-confirmation.job.ts'
import type { Handler } from './services.ts'
import { addConfirmedSubscriber, addPendingSubscriber, findSubscribable } from './subscriber-store.ts'

const emailRequired = { field: 'email', code: 'required', message: 'is required' }

const checkInbox =
  'Check your inbox, and confirm with the link we emailed you. If it does not arrive, sign in with this address to subscribe.'

/**
 * Subscribes an address. A stranger gets the same reply, and the same work is done for it, whether or not the address is
 * subscribed already: only its owner learns that.
 */
export const subscribe: Handler<typeof declared> = async (services, { caller, params, body, ip }) => {
  const { db, pool, clock, secrets } = services
  const found = isReservedHandle(params.handle) ? undefined : await findSubscribable(pool, params.handle)
  const creator = found ?? refuse(creatorNotFound)
  const now = clock.now()
  const account = caller.kind === 'owner-session' ? caller.account : undefined
  if (account?.id === creator.id) refuse(selfSubscription)
  const email = body.email ?? account?.email ?? refuse(validation, { errors: [emailRequired] })
  const subscriber = { creatorId: creator.id, email, now }
  // The account has confirmed this address before.
  if (account?.email === email) {
    await db.transaction().execute((tx) => addConfirmedSubscriber(tx, secrets, subscriber))
    return { status: 202, body: { status: 'subscribed', message: 'You are subscribed.' } }
  }
  await enforceLimit(services, confirmationLimit, creator.id)
  await db.transaction().execute(async (tx) => {
    if (!(await countConfirmation(tx, secrets, { email, ip, now }))) return
    const subscriberId = await addPendingSubscriber(tx, subscriber)
    await enqueue(tx, clock, sendSubscriptionConfirmation, { subscriberId, requestedAt: now.toISOString() })
  })
  return {
    status: 202,
    body: { status: 'confirmation_sent', message: checkInbox },
  }
}
