import type { NotificationKind } from '@pennypost/contract/notification-preferences'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

/** What to call each kind after "emails about". */
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
    greeting: `Hi ${readerName},`,
    paragraphs: [`${title}.`, ...(body === '' ? [] : [body])],
    link: { label: 'View it on Pennypost', url },
    reason: `You are getting this email because emails about ${kindLabels[kind]} are turned on for your account.`,
    unsubscribe: { label: 'Unsubscribe', url: unsubscribeUrl },
  })
