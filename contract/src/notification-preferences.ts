import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'

/** What somebody can be told of, and the switch for it: as it stands for mail, with `_inapp` for the feed. */
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
/** The kinds that clients knew before mentions had one of their own (§9). */
export const legacyKinds = notificationKinds.filter((kind) => kind !== 'comment_mention')
export const inAppSwitchOf = (kind: NotificationKind): InAppSwitch => `${switchOfKind[kind]}_inapp`

const emailSwitches = notificationKinds.map((kind) => switchOfKind[kind])
/** Switches that need a confirmed address to be on (§6). */
export const emailKeys: readonly PreferenceKey[] = ['email_notifications', ...emailSwitches]
/** §2: the strict list of 27. */
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
  'Mail needs a confirmed address: confirm one, then switch mail on.',
)

const common = { tag: 'Notifications', credential: 'owner-session', errors: 'h3' } as const

export const getNotificationPreferences = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/notification-preferences',
  summary: 'How you want to be told, and of what',
  replies: { 200: NotificationPreferences },
})

export const updateNotificationPreferences = endpoint({
  ...common,
  method: 'PUT',
  path: '/api/v1/notification-preferences',
  summary: 'Change how you are told',
  description:
    'What is left out stays. `notify_…` is by mail, `notify_…_inapp` in the feed; `email_notifications` and `in_app_notifications` switch a whole channel. Push tells of mentions and replies that the feed would show.',
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
