import { getPostMute, markContextRead, updatePostMute } from '@pennypost/contract/notifications'
import { getPostReactions, reactToPost } from '@pennypost/contract/reactions'
import { reportPost } from '@pennypost/contract/reports'
import { callApi } from '../call-api.ts'
import { makeScrollable } from '../checkout/full-text.ts'
import { openPaywall } from '../checkout/open-paywall.ts'
import { confirmAction } from '../confirm-action.ts'
import { findElement, getElement, h } from '../dom.ts'
import { followButton } from '../follow-button.ts'
import { button } from '../form.ts'
import { activateReactions, findReactions } from '../post/activate-reactions.ts'
import { openDiscussion } from '../post/open-discussion.ts'
import { relatedPosts } from '../post/related-posts.ts'
import { randomUuid } from '../random-uuid.ts'
import { redirectToSignIn } from '../redirect-to-sign-in.ts'
import { type Account, currentSession } from '../session.ts'
import { showToast } from '../show-toast.ts'

const { post: postId = '', author: authorId = '' } = getElement('main').dataset
const { account: viewer, unread } = await currentSession()
const params = { postId }
const isForSale = findElement('[data-paywall]') !== null

for (const prose of document.querySelectorAll('.prose')) makeScrollable(prose)

// In parallel, so that one failure does not keep the others from working.
await Promise.allSettled([
  openPaywall({ id: postId, authorId, title: getElement('h1').textContent.trim() }, viewer),
  openActions(),
  openFollow(),
  openDiscussion({ id: postId, authorId }, viewer),
  openRelated(),
  markRead(),
])

async function openActions(): Promise<void> {
  const acts = getElement('[data-post-acts]')
  const summary = viewer ? (await callApi(getPostReactions, { params })).summary : undefined
  activateReactions(findReactions(acts)!, viewer, summary, (reaction) =>
    callApi(reactToPost, { params, body: { reaction } }),
  )
  openTip(acts)
  acts.append(await moreActions(viewer))
}

function openTip(acts: HTMLElement): void {
  const tip = findElement<HTMLButtonElement>('[data-tip]', acts)
  if (!tip) return
  tip.hidden = viewer?.id === authorId
  tip.disabled = false
  tip.addEventListener('click', async () => {
    if (viewer) (await import('../checkout/open-tip-dialog.ts')).openTipDialog({ postId })
    else redirectToSignIn()
  })
}

async function openFollow(): Promise<void> {
  getElement('[data-follow]').append(await followButton(authorId, viewer))
}

async function openRelated(): Promise<void> {
  const next = await relatedPosts(postId)
  if (next) getElement('main').append(next)
}

/** Marks the notifications about this post as read. */
async function markRead(): Promise<void> {
  if (viewer && unread > 0) await callApi(markContextRead, { body: { context: { postId } } })
}

async function moreActions(person: Account | null): Promise<HTMLElement> {
  const row = h('span', { class: 'row' }, button('Copy link', copyLink, 'text-button'))
  if (!person) return row
  if (person.id === authorId && isForSale) row.append(button('Gift link', giveAway, 'text-button'))
  if (person.id === authorId) row.append(h('a', { class: 'text-button', href: `/studio/posts/${postId}` }, 'Edit'))
  else row.append(button('Report', report, 'text-button'))
  row.append(await muteButton())
  return row
}

async function giveAway(): Promise<void> {
  await (await import('../checkout/open-gift-link-dialog.ts')).openGiftLinkDialog(postId)
}

async function copyLink(): Promise<void> {
  await navigator.clipboard.writeText(location.origin + location.pathname)
  showToast('The link is in your clipboard.')
}

async function report(): Promise<void> {
  const reason = await confirmAction('Report this Post?', 'Report', 'What is wrong with it?')
  if (reason === undefined) return
  await callApi(reportPost, { params, idempotencyKey: randomUuid(), body: { reason } })
  showToast('Thank you. An administrator will look at it.')
}

async function muteButton(): Promise<HTMLButtonElement> {
  let { muted } = await callApi(getPostMute, { params })
  const words = () => (muted ? 'Unmute' : 'Mute')
  const element = button(
    words(),
    async () => {
      ;({ muted } = await callApi(updatePostMute, { params, body: { muted: !muted } }))
      element.textContent = words()
      showToast(muted ? 'You hear no more of this discussion.' : 'You hear of this discussion again.')
    },
    'text-button',
  )
  return element
}
