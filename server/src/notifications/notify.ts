import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueueMany } from '../platform/jobs/job.ts'
import {
  type CommentEvent,
  type CommentReason,
  commentReasons,
  commentUrl,
  excerpt,
  type NotificationEvent,
} from './notification-event.ts'
import { type Candidate, type EventRow, writeNotifications } from './notification-store.ts'
import { sendNotificationEmail } from './send-notification-email.job.ts'
import { sendPush } from './send-push.job.ts'

/** A person to notify. A channel that is left out is allowed; their switches then decide whether it is used. */
export interface Recipient {
  readonly recipientId: string
  readonly inApp?: boolean
  readonly email?: boolean
}

interface Parts {
  readonly clock: Clock
}

/** The limit for one call. More would lock too many people's rows for too long, so notify in batches. */
export const maxRecipients = 2_000
const maxCandidates = 1_000

/**
 * Notifies people of an event, on the channels they want, in the caller's transaction. Calling it again with the same
 * origin notifies nobody twice.
 * @example await notify(tx, services, { kind: 'new_purchase', origin: `purchase:${id}`, … }, [{ recipientId: sellerId }])
 */
export const notify = (
  tx: Tx,
  parts: Parts,
  event: NotificationEvent,
  recipients: readonly Recipient[],
): Promise<void> =>
  notifyEach(
    tx,
    parts,
    recipients.map((recipient) => ({ event, recipient })),
  )

/** Notifies many people in one statement, each of their own event. */
export async function notifyEach(
  tx: Tx,
  parts: Parts,
  notices: readonly { readonly event: NotificationEvent; readonly recipient: Recipient }[],
): Promise<void> {
  if (notices.length > maxRecipients) throw new Error(`more than ${maxRecipients} recipients in one call`)
  const numbers = new Map<NotificationEvent, number>()
  for (const { event } of notices) if (!numbers.has(event)) numbers.set(event, numbers.size)
  await deliver(
    tx,
    parts,
    [...numbers].map(([event, number]) => eventRow(event, number)),
    notices.map(({ event, recipient: { recipientId, inApp = true, email = true } }) => ({
      recipientId,
      number: numbers.get(event)!,
      inApp,
      email,
    })),
  )
}

const eventRow = (event: NotificationEvent, number: number): EventRow => ({
  number,
  kind: event.kind,
  origin: event.origin,
  actor_id: event.actorId,
  post_id: event.postId ?? null,
  purchase_id: event.purchaseId ?? null,
  comment_id: event.commentId ?? null,
  follower_id: event.followerId ?? null,
  title: event.title,
  body: event.body,
  url: event.url,
})

/**
 * Notifies people of a new comment. Each recipient gets at most one notification per channel, for the first reason in
 * order of precedence that is switched on for that channel. Pass every reason that applies. Call it from a job: it is
 * safe to run twice.
 */
export async function notifyCommentCandidates(
  tx: Tx,
  parts: Parts,
  event: CommentEvent,
  candidates: readonly { readonly recipientId: string; readonly reasons: readonly CommentReason[] }[],
): Promise<void> {
  if (candidates.length > maxCandidates) throw new Error(`more than ${maxCandidates} candidates in one call`)
  const rows = commentReasons.map(({ kind, titleOf }, number) => ({
    number,
    kind,
    origin: `comment:${event.commentId}`,
    actor_id: event.actorId,
    post_id: event.postId,
    purchase_id: null,
    comment_id: event.commentId,
    follower_id: null,
    title: titleOf(event),
    body: excerpt(event.content),
    url: commentUrl(event.postId, event.commentId),
  }))
  const applicable = candidates.flatMap(({ recipientId, reasons }) =>
    commentReasons.flatMap(({ reason }, number) =>
      reasons.includes(reason) ? [{ recipientId, number, inApp: true, email: true }] : [],
    ),
  )
  await deliver(tx, parts, rows, applicable)
}

async function deliver(tx: Tx, { clock }: Parts, events: EventRow[], candidates: Candidate[]): Promise<void> {
  if (candidates.length === 0) return
  const outgoing = await writeNotifications(tx, events, candidates, clock.now())
  const emails = outgoing.filter(({ channel }) => channel === 'email')
  await enqueueMany(
    tx,
    clock,
    sendNotificationEmail,
    emails.map(({ deliveryId }) => ({ deliveryId })),
  )
  await enqueueMany(
    tx,
    clock,
    sendPush,
    outgoing.flatMap(({ accountId, deliveryId, subscriptionId }) =>
      subscriptionId === null ? [] : [{ accountId, deliveryId, subscriptionId }],
    ),
  )
}
