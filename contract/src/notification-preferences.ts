import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'

/** The kinds of notification, each with its email preference. The in-app preference has the suffix `_inapp`. */
export const switchOfKind = {
  new_purchase: 'notify_new_purchase',
  tip_received: 'notify_tip_received',
  payout_sent: 'notify_payout_sent',
  new_post: 'notify_new_post',
  new_follow: 'notify_new_follow',
  account_issue: 'notify_account_issues',
  summary: 'notify_summaries',
  new_comment: 'notify_new_comment',
  comment_reply: 'notify_comment_reply',
  comment_mention: 'notify_comment_mention',
  comment_thread_activity: 'notify_commented_post_activity',
} as const

export type NotificationKind = keyof typeof switchOfKind
export type EmailSwitch = (typeof switchOfKind)[NotificationKind]
export type InAppSwitch = `${EmailSwitch}_inapp`
export type PreferenceKey =
  | 'email_notifications'
  | 'in_app_notifications'
  | 'push_notifications'
  | EmailSwitch
  | InAppSwitch
  | 'show_on_creator_leaderboards'
  | 'show_on_supporter_leaderboard'

export const notificationKinds = Object.keys(switchOfKind) as NotificationKind[]
/** The kinds of the first preference schema, in which mentions were comments. */
export const legacyKinds = notificationKinds.filter((kind) => kind !== 'comment_mention')
export const inAppSwitchOf = (kind: NotificationKind): InAppSwitch => `${switchOfKind[kind]}_inapp`

/**
 * How many emails about notifications one person gets, and as many pushes. The rest of the emails become one digest, and
 * the rest of the pushes are left out; the feed has them all.
 */
export const messageLimits = {
  all: limit('notification-messages', { per: 'recipient', max: 60, seconds: 3600 }),
  ofSender: limit('notification-messages-by-sender', { per: 'recipient-and-sender', max: 20, seconds: 3600 }),
}

const emailSwitches = notificationKinds.map((kind) => switchOfKind[kind])
/** Preferences that can be turned on only with a confirmed email address. */
export const emailKeys: readonly PreferenceKey[] = ['email_notifications', ...emailSwitches]
/** All 27 preferences. */
export const preferenceKeys: readonly PreferenceKey[] = [
  'email_notifications',
  'in_app_notifications',
  'push_notifications',
  ...emailSwitches,
  ...notificationKinds.map(inAppSwitchOf),
  'show_on_creator_leaderboards',
  'show_on_supporter_leaderboard',
]

const everyKey = Object.fromEntries(preferenceKeys.map((key) => [key, z.boolean()])) as Record<
  PreferenceKey,
  z.ZodBoolean
>

export const NotificationPreferences = z.object(everyKey).meta({ id: 'NotificationPreferences' })
export type NotificationPreferences = z.infer<typeof NotificationPreferences>

export const emailNotConfirmed = refusal(
  'email-not-confirmed',
  409,
  'Email notifications need a confirmed email address. Confirm one first.',
)

const common = { tag: 'Notifications', credential: 'owner-session', errors: 'h3' } as const

export const getNotificationPreferences = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/notification-preferences',
  summary: 'Get your notification preferences',
  description: 'One switch for each kind of notification and channel, and one for each channel as a whole.',
  replies: { 200: NotificationPreferences },
})

export const updateNotificationPreferences = endpoint({
  ...common,
  method: 'PUT',
  path: '/api/v1/notification-preferences',
  summary: 'Change your notification preferences',
  description:
    'Fields that are left out keep their value. `notify_…` is for email and `notify_…_inapp` for in-app notifications; `email_notifications` and `in_app_notifications` turn a whole channel on or off. Push covers mentions and replies that are also shown in the app.',
  request: {
    body: z
      .strictObject(everyKey)
      .partial()
      .refine((patch) => Object.keys(patch).length > 0, 'must change something')
      .meta({ minProperties: 1 }),
  },
  replies: { 200: NotificationPreferences },
  refusals: [emailNotConfirmed],
  invalidBody: 400,
})
