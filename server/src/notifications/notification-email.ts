import type { NotificationKind } from '@pennypost/contract/notification-preferences'
import type { EmailSender } from '../platform/mail/email-sender.ts'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

/** The name of each kind after "emails about". */
export const kindLabels: Readonly<Record<NotificationKind, string>> = {
  new_purchase: 'your sales',
  tip_received: 'tips you receive',
  payout_sent: 'payouts to you',
  new_post: 'new posts by people you follow',
  new_follow: 'new followers',
  account_issue: 'problems with your account',
  summary: 'your weekly summary',
  new_comment: 'comments on your posts',
  comment_reply: 'replies to your comments',
  comment_mention: 'mentions of you',
  comment_thread_activity: 'posts you commented on',
}

/** One and several of each kind, after "more". */
const nounsOf: Readonly<Record<NotificationKind, readonly [one: string, many: string]>> = {
  new_purchase: ['sale', 'sales'],
  tip_received: ['tip', 'tips'],
  payout_sent: ['payout', 'payouts'],
  new_post: ['new post by someone you follow', 'new posts by people you follow'],
  new_follow: ['new follower', 'new followers'],
  account_issue: ['problem with your account', 'problems with your account'],
  summary: ['summary', 'summaries'],
  new_comment: ['comment on your posts', 'comments on your posts'],
  comment_reply: ['reply to your comments', 'replies to your comments'],
  comment_mention: ['mention of you', 'mentions of you'],
  comment_thread_activity: ['comment on posts you commented on', 'comments on posts you commented on'],
}

interface NotificationContent {
  readonly kind: NotificationKind
  readonly readerName: string
  readonly title: string
  readonly body: string
  readonly url: string
  readonly unsubscribeUrl: string
}

export const notificationEmail = (
  sender: EmailSender,
  { kind, readerName, title, body, url, unsubscribeUrl }: NotificationContent,
): RenderedEmail =>
  renderEmail(sender, {
    subject: title,
    greeting: `Hi ${readerName},`,
    paragraphs: [`${title}.`, ...(body === '' ? [] : [body])],
    link: { label: `View it on ${sender.name}`, url },
    reason: `You are getting this email because emails about ${kindLabels[kind]} are turned on for your account.`,
    unsubscribe: { label: 'Unsubscribe', url: unsubscribeUrl },
  })

interface DigestContent {
  readonly counts: readonly { readonly kind: NotificationKind; readonly count: number }[]
  readonly readerName: string
  readonly url: string
  readonly unsubscribeUrl: string
}

/** The digest of notifications beyond those that a person gets one by one. It quotes nobody. */
export function digestEmail(
  sender: EmailSender,
  { counts, readerName, url, unsubscribeUrl }: DigestContent,
): RenderedEmail {
  const parts = counts.map(({ kind, count }) => `${count} more ${nounsOf[kind][count === 1 ? 0 : 1]}`)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return renderEmail(sender, {
    subject: parts.length === 1 ? parts[0]! : `${total} more notifications`,
    greeting: `Hi ${readerName},`,
    paragraphs: ['A lot has happened, so here is a summary:', ...parts.map((part) => `${part}.`)],
    link: { label: 'View your notifications', url },
    reason: `You are getting this email because emails about ${kindLabels[counts[0]!.kind]} are turned on for your account.`,
    unsubscribe: { label: 'Unsubscribe', url: unsubscribeUrl },
  })
}
