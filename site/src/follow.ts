import { getFollow, updateFollow } from '@pennypost/contract/follows'
import { ask, signInFirst } from './api.ts'
import { h } from './dom.ts'
import { button } from './form.ts'
import type { Account } from './session.ts'

/** A button to follow somebody; on one's own page the way to one's profile. */
export async function followButton(creatorId: string, viewer: Account | null): Promise<HTMLElement> {
  if (viewer?.id === creatorId)
    return h('a', { class: 'button quiet-button small', href: '/settings/profile' }, 'Edit profile')
  let { following } = viewer ? await ask(getFollow, { params: { creatorId } }) : { following: false }
  const element = button('Follow', async () => {
    if (!viewer) return signInFirst()
    ;({ following } = await ask(updateFollow, { params: { creatorId }, body: { following: !following } }))
    draw()
    element.dispatchEvent(new Event('follow', { bubbles: true }))
  })
  const draw = () => {
    element.textContent = following ? 'Following' : 'Follow'
    element.className = following ? 'quiet-button small' : 'small'
    element.setAttribute('aria-pressed', String(following))
  }
  draw()
  return element
}
