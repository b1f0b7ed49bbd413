import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueueMany } from '../platform/jobs/job.ts'
import { type CommentNews, type CommentReason, commentReasons, commentUrl, excerpt, type News } from './news.ts'
import { type Candidate, type NewsRow, writeNews } from './news-store.ts'
import { sendNotificationMail } from './send-notification-mail.job.ts'
import { sendPush } from './send-push.job.ts'

/** Somebody to tell. A channel that is left out is open; whether it is used is for their switches to say. */
export interface Recipient {
  readonly recipientId: string
  readonly inApp?: boolean
  readonly email?: boolean
}

interface Parts {
  readonly clock: Clock
}

/** More at once would hold the rows of too many people for too long: tell in batches. */
export const mostRecipients = 2_000
const mostCandidates = 1_000

/**
 * Tells people of something that happened, each by the channels they want, in the caller's transaction. Telling the same
 * origin again tells nobody twice.
 * @example await tell(tx, services, { kind: 'new_purchase', origin: `purchase:${id}`, … }, [{ recipientId: sellerId }])
 */
export const tell = (tx: Tx, parts: Parts, news: News, recipients: readonly Recipient[]): Promise<void> =>
  tellEach(
    tx,
    parts,
    recipients.map((recipient) => ({ news, recipient })),
  )

/** The same for many people, each with news of their own. */
export async function tellEach(
  tx: Tx,
  parts: Parts,
  told: readonly { readonly news: News; readonly recipient: Recipient }[],
): Promise<void> {
  if (told.length > mostRecipients) throw new Error(`at most ${mostRecipients} people are told at once`)
  const numbers = new Map<News, number>()
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

const newsRow = (news: News, number: number): NewsRow => ({
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
 * Tells of a new Comment: at most one row for each recipient and channel, for the first reason in rank that is switched
 * on for that channel (§6). Say every reason that holds; the rest is decided here. Meant for a job: it may run twice.
 */
export async function tellOfComment(
  tx: Tx,
  parts: Parts,
  news: CommentNews,
  candidates: readonly { readonly recipientId: string; readonly reasons: readonly CommentReason[] }[],
): Promise<void> {
  if (candidates.length > mostCandidates) throw new Error(`at most ${mostCandidates} people are told at once`)
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

async function deliver(tx: Tx, { clock }: Parts, news: NewsRow[], candidates: Candidate[]): Promise<void> {
  if (candidates.length === 0) return
  const outgoing = await writeNews(tx, news, candidates, clock.now())
  const mails = outgoing.filter(({ channel }) => channel === 'email')
  await enqueueMany(
    tx,
    clock,
    sendNotificationMail,
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
