import { markContextRead } from '@pennypost/contract/notifications'
import { callApi } from '../call-api.ts'
import { openPaywall } from '../checkout/open-paywall.tsx'
import { findElement, getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { makeScrollable } from '../make-scrollable.ts'
import { openDiscussion } from '../post/open-discussion.tsx'
import { openPostActions } from '../post/open-post-actions.tsx'
import { showRelatedPosts } from '../post/show-related-posts.tsx'
import { currentSession } from '../session.ts'
import { FollowButton, loadFollow } from '../ui/follow-button.tsx'
import { openSubscribeForm } from '../ui/open-subscribe-form.tsx'

const { post: postId = '', author: authorId = '' } = getElement('main').dataset
const { account: viewer, unread } = await currentSession()
const isForSale = findElement('[data-paywall]') !== null

for (const prose of document.querySelectorAll('.prose')) makeScrollable(prose)

// In parallel, so that one failure does not keep the others from working.
await Promise.allSettled([
  openPaywall({ id: postId, authorId, title: getElement('h1').textContent.trim() }, viewer),
  openPostActions({ postId, authorId, viewer, isForSale }),
  openFollow(),
  openSubscribeForm(viewer),
  openDiscussion({ id: postId, authorId }, viewer),
  showRelatedPosts(postId),
  markRead(),
])

async function openFollow(): Promise<void> {
  const follow = await loadFollow(authorId, viewer)
  render(<FollowButton creatorId={authorId} viewer={viewer} follow={follow} />, getElement('[data-follow]'))
}

/** Marks the notifications about this post as read. */
async function markRead(): Promise<void> {
  if (viewer && unread > 0) await callApi(markContextRead, { body: { context: { postId } } })
}
