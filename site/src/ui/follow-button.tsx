import { type Follow, getFollow, updateFollow, updateFollowPreferences } from '@pennypost/contract/follows'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { errorMessage } from '../error-message.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from './button.tsx'

interface FollowButtonProps {
  readonly creatorId: string
  readonly viewer: Account | null
  readonly follow: Follow | null
  readonly onChange?: () => unknown
}

/** The viewer's follow of a creator; null if there is none. */
export const loadFollow = async (creatorId: string, viewer: Account | null): Promise<Follow | null> =>
  viewer && viewer.id !== creatorId ? (await callApi(getFollow, { params: { creatorId } })).follow : null

/** A follow button with its notification preferences; on the viewer's own page a link to edit the profile. */
export function FollowButton({ creatorId, viewer, follow: first, onChange }: FollowButtonProps) {
  const [follow, setFollow] = useState(first)
  if (viewer?.id === creatorId)
    return (
      <a class="button quiet-button small" href="/settings/profile">
        Edit profile
      </a>
    )
  const toggle = async () => {
    if (!viewer) return redirectToSignIn('follow')
    const reply = await callApi(updateFollow, { params: { creatorId }, body: { following: !follow } })
    setFollow(reply.follow)
    await onChange?.()
  }
  return (
    <span class="row">
      {follow && <PreferencesMenu follow={follow} />}
      <Button action={toggle} class={follow ? 'quiet-button small' : 'small'} aria-pressed={follow !== null}>
        {follow ? 'Following' : 'Follow'}
      </Button>
    </span>
  )
}

const channels = [
  ['notify_new_posts', 'New posts'],
  ['notify_channel_inapp', 'On this site'],
  ['notify_channel_email', 'By email'],
] as const

/** Notification preferences for one creator. Each change is saved immediately. */
function PreferencesMenu({ follow }: { readonly follow: Follow }) {
  const save = async (key: (typeof channels)[number][0], input: HTMLInputElement) => {
    try {
      await callApi(updateFollowPreferences, { params: { followId: follow.id }, body: { [key]: input.checked } })
      showToast('Saved.')
    } catch (error) {
      input.checked = !input.checked
      showToast(errorMessage(error))
    }
  }
  return (
    <details class="menu">
      <summary class="quiet">Notify me</summary>
      <div>
        {channels.map(([key, label]) => (
          <label class="check" key={key}>
            <input
              type="checkbox"
              defaultChecked={follow[key]}
              onChange={({ currentTarget }) => save(key, currentTarget)}
            />
            {label}
          </label>
        ))}
      </div>
    </details>
  )
}
