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
 * @example await tell(tx, services, { kind: 'new_purchase', origin: `purchase:${id}`, … }, [{ recipientId: sellerId }])
 */
export const notify = (
  tx: Tx,
  parts: Parts,
  news: NotificationEvent,
  recipients: readonly Recipient[],
): Promise<void> =>
  notifyEach(
    tx,
    parts,
    recipients.map((recipient) => ({ news, recipient })),
  )

/** Notifies many people in one statement, each of their own event. */
export async function notifyEach(
  tx: Tx,
  parts: Parts,
  told: readonly { readonly news: NotificationEvent; readonly recipient: Recipient }[],
): Promise<void> {
  if (told.length > maxRecipients) throw new Error(`at most ${maxRecipients} people are told at once`)
  const numbers = new Map<NotificationEvent, number>()
  for (const { news } of told) if (!numbers.has(news)) numbers.set(news, numbers.size)
  await deliver(
    tx,
    parts,
    [...numbers].map(([news, number]) => newsRow(news, number)),
    told.map(({ news, recipient: { recipientId, inApp = true, email = true } }) => ({
      recipientId,
      number: numbers.get(news)!,
      inApp,
      email,
    })),
  )
}

const newsRow = (news: NotificationEvent, number: number): EventRow => ({
  number,
  kind: news.kind,
  origin: news.origin,
  actor_id: news.actorId,
  post_id: news.postId ?? null,
  purchase_id: news.purchaseId ?? null,
  comment_id: news.commentId ?? null,
  follower_id: news.followerId ?? null,
  title: news.title,
  body: news.body,
  url: news.url,
})

/**
 * Notifies people of a new comment. Each recipient gets at most one notification per channel, for the first reason in
 * order of precedence that is switched on for that channel. Pass every reason that applies. Call it from a job: it is
 * safe to run twice.
 */
export async function notifyCommentCandidates(
  tx: Tx,
  parts: Parts,
  news: CommentEvent,
  candidates: readonly { readonly recipientId: string; readonly reasons: readonly CommentReason[] }[],
): Promise<void> {
  if (candidates.length > maxCandidates) throw new Error(`at most ${maxCandidates} people are told at once`)
  const rows = commentReasons.map(({ kind, titleOf }, number) => ({
    number,
    kind,
    origin: `comment:${news.commentId}`,
    actor_id: news.actorId,
    post_id: news.postId,
    purchase_id: null,
    comment_id: news.commentId,
    follower_id: null,
    title: titleOf(news),
    body: excerpt(news.content),
    url: commentUrl(news.postId, news.commentId),
  }))
  const told = candidates.flatMap(({ recipientId, reasons }) =>
    commentReasons.flatMap(({ reason }, number) =>
      reasons.includes(reason) ? [{ recipientId, number, inApp: true, email: true }] : [],
    ),
  )
  await deliver(tx, parts, rows, told)
}

async function deliver(tx: Tx, { clock }: Parts, news: EventRow[], candidates: Candidate[]): Promise<void> {
  if (candidates.length === 0) return
  const outgoing = await writeNotifications(tx, news, candidates, clock.now())
  const mails = outgoing.filter(({ channel }) => channel === 'email')
  await enqueueMany(
    tx,
    clock,
    sendNotificationEmail,
    mails.map(({ deliveryId }) => ({ deliveryId })),
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
