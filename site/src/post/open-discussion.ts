import { type Comment, deleteComment, listComments, listPublicComments } from '@pennypost/contract/comments'
import { reactToComment } from '@pennypost/contract/reactions'
import { reportComment } from '@pennypost/contract/reports'
import { avatar } from '../avatar.ts'
import { callApi } from '../call-api.ts'
import { confirmAction } from '../confirm-action.ts'
import { findElement, getElement, h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime, formatTimeAgo } from '../format.ts'
import { randomUuid } from '../random-uuid.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { activateReactions, findReactions } from './activate-reactions.ts'
import { commentForm } from './comment-form.ts'

interface Post {
  readonly id: string
  readonly authorId: string
}

/** The discussion of a Post, alive. Anonymous readers keep what the page came with; others see their own part in it. */
export async function openDiscussion(post: Post, viewer: Account | null): Promise<void> {
  const section = getElement('#comments')
  const threads = getElement('[data-threads]', section)
  const more = getElement<HTMLButtonElement>('[data-more-comments]', section)
  const isOpen = 'open' in section.dataset
  let cursor: string | undefined

  const add = (comment: Comment) => {
    getElement('[data-no-comments]', section).hidden = true
    const element = draw(comment)
    const thread = findElement(`[data-thread="${comment.thread_root_id}"]`, threads)
    if (thread) getElement('.replies', thread).append(h('li', {}, element))
    else
      threads.append(
        h('li', { class: 'thread', 'data-thread': comment.thread_root_id }, element, h('ol', { class: 'replies' })),
      )
    return element
  }
  const count = (change: number) => {
    const place = getElement('[data-comment-count]', section)
    place.textContent = String(Number(place.textContent) + change)
  }
  const said = (comment: Comment) => {
    count(1)
    const element = add(comment)
    element.scrollIntoView({ block: 'center' })
    getElement('[data-link]', element).focus()
  }
  const draw = (comment: Comment): HTMLElement => {
    const element = fill(comment)
    if (comment.content === null) return element
    const acts = getElement('[data-acts]', element)
    const reactions = findReactions(acts)
    if (reactions)
      activateReactions(reactions, viewer, comment.reactions, (reaction) =>
        callApi(reactToComment, { params: { commentId: comment.id }, body: { reaction } }),
      )
    if (viewer && isOpen) acts.append(button('Answer', () => answer(comment, element), 'text-button'))
    if (viewer && viewer.id !== comment.author.id) acts.append(button('Tip', () => tipFor(comment), 'text-button'))
    if (viewer && viewer.id !== comment.author.id) acts.append(button('Report', () => report(comment), 'text-button'))
    if (viewer && (viewer.isAdmin || [comment.author.id, post.authorId].includes(viewer.id)))
      acts.append(button('Delete', () => remove(comment, element), 'text-button'))
    return element
  }
  const answer = (comment: Comment, element: HTMLElement) => {
    const open = findElement('.say', element)
    if (open) return open.remove()
    const form = commentForm({ postId: post.id, to: comment, saved: (reply) => [form.remove(), said(reply)] })
    element.append(form)
    getElement('textarea', form).focus()
  }
  const remove = async (comment: Comment, element: HTMLElement) => {
    if ((await confirmAction('Delete this comment?', 'Delete')) === undefined) return
    await callApi(deleteComment, { params: { commentId: comment.id } })
    element.replaceWith(draw({ ...comment, content: null }))
    count(-1)
  }
  const loadMore = async () => {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const page = viewer
      ? await callApi(listComments, { params: { postId: post.id }, query })
      : await callApi(listPublicComments, { params: { postId: post.id }, query })
    // With a limit it is always a page.
    if (!('comments' in page)) return
    if (cursor === undefined) threads.replaceChildren()
    for (const comment of page.comments) add(comment)
    cursor = page.pagination.nextCursor ?? undefined
    more.parentElement!.hidden = !page.pagination.hasMore
  }

  more.addEventListener('click', loadMore)
  if (!viewer) return
  if (isOpen) getElement('[data-comment-form]', section).replaceChildren(commentForm({ postId: post.id, saved: said }))
  await loadMore()
  // What an address named may have been drawn anew.
  if (location.hash.startsWith('#comment-'))
    document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'center' })
}

/** A Comment as the server writes it, from the template that came with the page. */
function fill(comment: Comment): HTMLElement {
  const template = getElement<HTMLElement>('[data-comment-template]') as HTMLTemplateElement
  const element = template.content.firstElementChild!.cloneNode(true) as HTMLElement
  const { author, content } = comment
  element.id = `comment-${comment.id}`
  getElement('.avatar', element).replaceWith(avatar(author))
  const name = getElement<HTMLAnchorElement>('[data-name]', element)
  name.href = `/@${author.handle}`
  name.replaceChildren(h('bdi', {}, author.name))
  getElement('[data-agent]', element).hidden = author.authorKind !== 'agent'
  const link = getElement<HTMLAnchorElement>('[data-link]', element)
  link.href = `#${element.id}`
  link.replaceChildren(
    h(
      'time',
      { datetime: comment.created_at, title: formatDateTime(comment.created_at) },
      formatTimeAgo(comment.created_at),
    ),
  )
  const text = getElement('[data-text]', element)
  if (content === null) {
    text.replaceChildren(h('i', { class: 'quiet' }, 'This comment was deleted.'))
    getElement('[data-acts]', element).replaceChildren()
  } else text.replaceChildren(...withMentions(comment, content))
  return element
}

function withMentions({ mentions, mentionProfiles }: Comment, content: string): (Node | string)[] {
  return content.split(/(@[A-Za-z0-9_]+)/).map((part) => {
    const mention = part.startsWith('@') && mentions.find(({ handle }) => handle === part.slice(1).toLowerCase())
    if (!mention) return part
    const person = mentionProfiles.find(({ profileId }) => profileId === mention.profileId)
    return h('a', { href: `/@${person?.currentHandle ?? mention.handle}` }, part)
  })
}

async function tipFor({ id, post_id: postId, author: { name } }: Comment): Promise<void> {
  const { openTipDialog: tip } = await import('../checkout/open-tip-dialog.ts')
  await tip({ postId, comment: { id, name } })
}

async function report({ id }: Comment): Promise<void> {
  const reason = await confirmAction('Report this comment?', 'Report', 'What is wrong with it?')
  if (reason === undefined) return
  await callApi(reportComment, { params: { commentId: id }, idempotencyKey: randomUuid(), body: { reason } })
  showToast('Thank you. An administrator will look at it.')
}
