import {
  getNotificationPreferences,
  type NotificationKind,
  type NotificationPreferences,
  type PreferenceKey,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { pushSwitch } from './push-switch.ts'

const kinds: readonly (readonly [NotificationKind, PreferenceKey, string])[] = [
  ['new_purchase', 'notify_new_purchase', 'Somebody bought a Post of yours'],
  ['tip_received', 'notify_tip_received', 'Somebody tipped you'],
  ['payout_sent', 'notify_payout_sent', 'You were paid'],
  ['new_comment', 'notify_new_comment', 'A comment on your Post'],
  ['comment_reply', 'notify_comment_reply', 'An answer to your comment'],
  ['comment_mention', 'notify_comment_mention', 'Somebody mentioned you'],
  ['comment_thread_activity', 'notify_commented_post_activity', 'More comments where you commented'],
  ['new_post', 'notify_new_post', 'A new Post by somebody you follow'],
  ['new_follow', 'notify_new_follow', 'Somebody follows you'],
  ['summary', 'notify_summaries', 'A summary of what you missed'],
  ['account_issue', 'notify_account_issues', 'Something about your account'],
]

const channels = [
  ['in_app_notifications', 'Here', 'Tell me on this site'],
  ['email_notifications', 'Email', 'Write to me'],
  ['push_notifications', 'Push', 'Push mentions and answers to my browsers'],
] as const

/** Notification channels, kinds by channel, and whether the account appears on leaderboards. */
export async function showNotificationPreferences(): Promise<void> {
  const preferences = await callApi(getNotificationPreferences, {})
  // Push to this browser has no effect while the account has push switched off.
  const allowPush = async () => {
    if (preferences.push_notifications) return
    await callApi(updateNotificationPreferences, { body: { push_notifications: true } })
    await showNotificationPreferences()
  }
  const thisBrowser = await pushSwitch(allowPush)
  showView(
    h('h2', {}, 'Ways to tell you'),
    h(
      'div',
      { class: 'card' },
      channels.map(([key, , words]) => labelled(preferences, key, words)),
    ),
    h('h2', { class: 'apart' }, 'This browser'),
    thisBrowser,
    h('h2', { class: 'apart' }, 'What to tell you of'),
    h(
      'table',
      { class: 'switches' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, 'Notification')),
          h('th', { scope: 'col' }, 'Here'),
          h('th', { scope: 'col' }, 'Email'),
        ),
      ),
      h(
        'tbody',
        {},
        kinds.map(([, key, words]) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, words),
            h('td', {}, toggle(preferences, `${key}_inapp` as PreferenceKey, `${words}, here`)),
            h('td', {}, toggle(preferences, key, `${words}, by email`)),
          ),
        ),
      ),
    ),
    h('h2', { class: 'apart' }, 'Leaderboards'),
    h(
      'div',
      { class: 'card' },
      labelled(preferences, 'show_on_creator_leaderboards', 'Show me among creators'),
      labelled(preferences, 'show_on_supporter_leaderboard', 'Show me among supporters'),
    ),
  )
}

const labelled = (preferences: NotificationPreferences, key: PreferenceKey, words: string): HTMLElement =>
  h('label', { class: 'check' }, toggle(preferences, key), words)

/** A switch that is saved immediately, and switched back if saving fails. */
function toggle(preferences: NotificationPreferences, key: PreferenceKey, label?: string): HTMLInputElement {
  const input = h('input', { type: 'checkbox', name: key, checked: preferences[key], 'aria-label': label })
  input.addEventListener('change', async () => {
    try {
      await callApi(updateNotificationPreferences, { body: { [key]: input.checked } })
      showToast('Saved.')
    } catch (error) {
      input.checked = !input.checked
      showToast(errorMessage(error))
    }
  })
  return input
}
