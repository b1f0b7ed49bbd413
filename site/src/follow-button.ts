import { type Follow, getFollow, updateFollow, updateFollowPreferences } from '@pennypost/contract/follows'
import { callApi } from './call-api.ts'
import { h } from './dom.ts'
import { errorMessage } from './error-message.ts'
import { button } from './form.ts'
import { redirectToSignIn } from './redirect-to-sign-in.ts'
import type { Account } from './session.ts'
import { showToast } from './show-toast.ts'

/** A follow button with its notification preferences; on the viewer's own page a link to edit the profile. */
export async function followButton(creatorId: string, viewer: Account | null): Promise<HTMLElement> {
  if (viewer?.id === creatorId)
    return h('a', { class: 'button quiet-button small', href: '/settings/profile' }, 'Edit profile')
  const params = { creatorId }
  const place = h('span', { class: 'row' })
  const draw = (follow: Follow | null) => {
    const press = button(
      follow ? 'Following' : 'Follow',
      async () => {
        if (!viewer) return redirectToSignIn()
        draw((await callApi(updateFollow, { params, body: { following: !follow } })).follow)
        place.dispatchEvent(new Event('follow', { bubbles: true }))
      },
      follow ? 'quiet-button small' : 'small',
    )
    press.setAttribute('aria-pressed', String(follow !== null))
    place.replaceChildren(...(follow ? [preferencesMenu(follow), press] : [press]))
  }
  draw(viewer ? (await callApi(getFollow, { params })).follow : null)
  return place
}

const channels = [
  ['notify_new_posts', 'New Posts'],
  ['notify_channel_inapp', 'Tell me here'],
  ['notify_channel_email', 'Write to me'],
] as const

/** Notification preferences for one creator. Each change is saved immediately. */
const preferencesMenu = (follow: Follow): HTMLElement =>
  h(
    'details',
    { class: 'menu' },
    h('summary', { class: 'quiet' }, 'Tell me…'),
    h(
      'div',
      {},
      channels.map(([key, words]) => {
        const input = h('input', { type: 'checkbox', checked: follow[key] })
        input.addEventListener('change', async () => {
          try {
            await callApi(updateFollowPreferences, { params: { followId: follow.id }, body: { [key]: input.checked } })
            showToast('Saved.')
          } catch (error) {
            input.checked = !input.checked
            showToast(errorMessage(error))
          }
        })
        return h('label', { class: 'check' }, input, words)
      }),
    ),
  )
