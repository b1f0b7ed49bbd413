import {
  getNotificationPreferences,
  type NotificationPreferences,
  type PreferenceKey,
  updateNotificationPreferences,
} from '@pennypost/contract/notification-preferences'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import type { Children } from '../jsx/markup.ts'
import { type PushState, pushState } from '../push.ts'
import { showToast } from '../show-toast.ts'
import { PushSwitch } from './push-switch.tsx'

const kinds: readonly (readonly [PreferenceKey, string])[] = [
  ['notify_new_purchase', 'Someone buys your post'],
  ['notify_tip_received', 'Someone tips you'],
  ['notify_payout_sent', 'You are paid'],
  ['notify_new_comment', 'A comment on your post'],
  ['notify_comment_reply', 'A reply to your comment'],
  ['notify_comment_mention', 'Someone mentions you'],
  ['notify_commented_post_activity', 'More comments on posts you commented on'],
  ['notify_new_post', 'A new post by someone you follow'],
  ['notify_new_follow', 'Someone follows you'],
  ['notify_summaries', 'A summary of what you missed'],
  ['notify_account_issues', 'Problems with your account'],
]

const channels = [
  ['in_app_notifications', 'On this site'],
  ['email_notifications', 'By email'],
  ['push_notifications', 'Push mentions and replies to my browsers'],
] as const

export async function loadPreferences() {
  const [preferences, push] = await Promise.all([callApi(getNotificationPreferences, {}), pushState()])
  return { preferences, push }
}

interface PreferencesProps {
  readonly first: { readonly preferences: NotificationPreferences; readonly push: PushState }
}

/** Notification channels, kinds by channel, and whether the account appears on leaderboards. */
export function Preferences({ first }: PreferencesProps) {
  const [preferences, setPreferences] = useState(first.preferences)
  // Push to this browser has no effect while the account has push turned off.
  const allowPush = async () => {
    if (preferences.push_notifications) return
    setPreferences(await callApi(updateNotificationPreferences, { body: { push_notifications: true } }))
  }
  const toggle = (key: PreferenceKey, label?: string) => (
    <Toggle name={key} isOn={preferences[key]} label={label} onSaved={setPreferences} />
  )
  return (
    <>
      <h2>Notify me</h2>
      <div class="card">
        {channels.map(([key, label]) => (
          <Labelled key={key} label={label}>
            {toggle(key)}
          </Labelled>
        ))}
      </div>
      <h2 class="apart">This browser</h2>
      <PushSwitch first={first.push} onEnabled={allowPush} />
      <h2 class="apart">What to notify me about</h2>
      <table class="switches">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Notification</span>
            </th>
            <th scope="col">Site</th>
            <th scope="col">Email</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(([key, label]) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td>{toggle(`${key}_inapp` as PreferenceKey, `${label}, on this site`)}</td>
              <td>{toggle(key, `${label}, by email`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2 class="apart">Leaderboards</h2>
      <div class="card">
        <Labelled label="Show me among creators">{toggle('show_on_creator_leaderboards')}</Labelled>
        <Labelled label="Show me among supporters">{toggle('show_on_supporter_leaderboard')}</Labelled>
      </div>
    </>
  )
}

interface LabelledProps {
  readonly label: string
  /** The switch. */
  readonly children: Children
}

const Labelled = ({ label, children }: LabelledProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the switch is among the children.
  <label class="check">
    {children}
    {label}
  </label>
)

interface ToggleProps {
  readonly name: PreferenceKey
  readonly isOn: boolean
  readonly label: string | undefined
  readonly onSaved: (preferences: NotificationPreferences) => void
}

/** A switch that is saved immediately, and switched back if saving fails. */
function Toggle({ name, isOn, label, onSaved }: ToggleProps) {
  const save = async (input: HTMLInputElement) => {
    try {
      onSaved(await callApi(updateNotificationPreferences, { body: { [name]: input.checked } }))
      showToast('Saved.')
    } catch (error) {
      input.checked = !input.checked
      showToast(errorMessage(error))
    }
  }
  return (
    <input
      type="checkbox"
      name={name}
      checked={isOn}
      aria-label={label}
      onChange={({ currentTarget }) => save(currentTarget)}
    />
  )
}
