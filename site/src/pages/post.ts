import { getPostMute, markContextRead, updatePostMute } from '@pennypost/contract/notifications'
import { getPostReactions, reactToPost } from '@pennypost/contract/reactions'
import { reportPost } from '@pennypost/contract/reports'
import { ask, newKey, signInFirst } from '../api.ts'
import { openPaywall } from '../buy/paywall.ts'
import { letScroll } from '../buy/reading.ts'
import { askFirst, find, h, say, the } from '../dom.ts'
import { followButton } from '../follow.ts'
import { button } from '../form.ts'
import { openDiscussion } from '../post/comments.ts'
import { enliven, reactionsIn } from '../post/reactions.ts'
import { related } from '../post/related.ts'
import { type Account, whoIsIt } from '../session.ts'

const { post: postId = '', author: authorId = '' } = the('main').dataset
const { account: viewer, unread } = await whoIsIt()
const params = { postId }
const isForSale = find('[data-paywall]') !== null

for (const prose of document.querySelectorAll('.prose')) letScroll(prose)

// Side by side: where one of them fails, the others are there all the same.
await Promise.allSettled([
  openPaywall({ id: postId, authorId, title: the('h1').textContent.trim() }, viewer),
  openActs(),
  openFollow(),
  openDiscussion({ id: postId, authorId }, viewer),
  openRelated(),
  noteRead(),
])

async function openActs(): Promise<void> {
  const acts = the('[data-post-acts]')
  const summary = viewer ? (await ask(getPostReactions, { params })).summary : undefined
  enliven(reactionsIn(acts)!, viewer, summary, (reaction) => ask(reactToPost, { params, body: { reaction } }))
  openTip(acts)
  acts.append(await otherActs(viewer))
}

function openTip(acts: HTMLElement): void {
  const tip = find<HTMLButtonElement>('[data-tip]', acts)
  if (!tip) return
  tip.hidden = viewer?.id === authorId
  tip.disabled = false
  tip.addEventListener('click', async () => {
    if (viewer) (await import('../buy/tip.ts')).tip({ postId })
    else signInFirst()
  })
}

async function openFollow(): Promise<void> {
  the('[data-follow]').append(await followButton(authorId, viewer))
}

async function openRelated(): Promise<void> {
  const next = await related(postId)
  if (next) the('main').append(next)
}

/** Whoever is here has seen what they were told of it. */
async function noteRead(): Promise<void> {
  if (viewer && unread > 0) await ask(markContextRead, { body: { context: { postId } } })
}

async function otherActs(person: Account | null): Promise<HTMLElement> {
  const row = h('span', { class: 'row' }, button('Copy link', copyLink, 'text-button'))
  if (!person) return row
  if (person.id === authorId && isForSale) row.append(button('Gift link', giveAway, 'text-button'))
  if (person.id === authorId) row.append(h('a', { class: 'text-button', href: `/studio/posts/${postId}` }, 'Edit'))
  else row.append(button('Report', report, 'text-button'))
  row.append(await muteButton())
  return row
}

async function giveAway(): Promise<void> {
  await (await import('../buy/gift-link.ts')).openGiftLink(postId)
}

async function copyLink(): Promise<void> {
  await navigator.clipboard.writeText(location.origin + location.pathname)
  say('The link is in your clipboard.')
}

async function report(): Promise<void> {
  const reason = await askFirst('Report this Post?', 'Report', 'What is wrong with it?')
  if (reason === undefined) return
  await ask(reportPost, { params, idempotencyKey: newKey(), body: { reason } })
  say('Thank you. An administrator will look at it.')
}

async function muteButton(): Promise<HTMLButtonElement> {
  let { muted } = await ask(getPostMute, { params })
  const words = () => (muted ? 'Unmute' : 'Mute')
  const element = button(
    words(),
    async () => {
      ;({ muted } = await ask(updatePostMute, { params, body: { muted: !muted } }))
      element.textContent = words()
      say(muted ? 'You hear no more of this discussion.' : 'You hear of this discussion again.')
    },
    'text-button',
  )
  return element
}
