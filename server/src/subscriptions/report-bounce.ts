import type { reportBounce as declared } from '@pennypost/contract/subscribers'
import type { Handler } from './services.ts'
import { endSubscriber } from './subscriber-store.ts'
import { readReturnPath } from './subscription-token.ts'

/** Ends the subscription of an address that messages cannot be delivered to, or whose owner complained about one. */
export const reportBounce: Handler<typeof declared> = async ({ db, clock, secrets }, { body }) => {
  const message = await textOf(body)
  const reason = isComplaint(message) ? 'unsubscribed' : isPermanentFailure(message) ? 'bounced' : undefined
  const subscriberId = reason && readReturnPath(secrets, message)
  const isEnded =
    subscriberId !== undefined &&
    (await db.transaction().execute((tx) => endSubscriber(tx, secrets, subscriberId, reason!, clock.now())))
  return { status: 200, body: { status: isEnded ? 'ended' : 'ignored' } }
}

/** Whether a feedback report (RFC 5965) says that the reader marked the email as spam. */
const isComplaint = (message: string): boolean => /^Feedback-Type:[ \t]*abuse\b/im.test(message)

/**
 * Whether a delivery status notification (RFC 3464) says that an address does not work. Not if it is about us: a policy (5.7)
 * refuses our server or our message, not the address.
 */
export const isPermanentFailure = (message: string): boolean =>
  /^Action:[ \t]*failed\b/im.test(message) && /^Status:[ \t]*5\.(?!7\.)\d+\.\d+/im.test(message)

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}
