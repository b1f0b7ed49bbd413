import type { NotificationKind } from '@pennypost/contract/notification-preferences'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

/** What to call each kind after "mail about". */
export const kindLabels: Readonly<Record<NotificationKind, string>> = {
  new_purchase: 'your sales',
  tip_received: 'tips you receive',
  payout_sent: 'payouts to you',
  new_post: 'new Posts of people you follow',
  new_follow: 'new followers',
  account_issue: 'problems with your account',
  summary: 'your weekly summary',
  new_comment: 'Comments on your Posts',
  comment_reply: 'replies to your Comments',
  comment_mention: 'mentions of you',
  comment_thread_activity: 'Posts you commented on',
}

interface NotificationContent {
  readonly kind: NotificationKind
  readonly readerName: string
  readonly title: string
  readonly body: string
  readonly url: string
  readonly unsubscribeUrl: string
}

export const notificationEmail = ({
  kind,
  readerName,
  title,
  body,
  url,
  unsubscribeUrl,
}: NotificationContent): RenderedEmail =>
  renderEmail({
    subject: title,
    greeting: `Hello ${readerName},`,
    paragraphs: [`${title}.`, ...(body === '' ? [] : [body])],
    link: { label: 'Open it', url },
    reason: `You get this mail because mail about ${kindLabels[kind]} is on for your account.`,
    unsubscribe: { label: 'Stop mail like this', url: unsubscribeUrl },
  })
