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

/** Makes the comments of a post interactive. Signed-in readers get them loaded again, with their own reactions. */
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
  const showNew = (comment: Comment) => {
    count(1)
    const element = add(comment)
    element.scrollIntoView({ block: 'center' })
    getElement('[data-link]', element).focus()
  }
  const draw = (comment: Comment): HTMLElement => {
    const element = fill(comment)
    if (comment.content === null) return element
    const actions = getElement('[data-acts]', element)
    const reactions = findReactions(actions)
    if (reactions)
      activateReactions(reactions, viewer, comment.reactions, (reaction) =>
        callApi(reactToComment, { params: { commentId: comment.id }, body: { reaction } }),
      )
    if (viewer && isOpen) actions.append(button('Answer', () => reply(comment, element), 'text-button'))
    if (viewer && viewer.id !== comment.author.id) actions.append(button('Tip', () => tipFor(comment), 'text-button'))
    if (viewer && viewer.id !== comment.author.id)
      actions.append(button('Report', () => report(comment), 'text-button'))
    if (viewer && (viewer.isAdmin || [comment.author.id, post.authorId].includes(viewer.id)))
      actions.append(button('Delete', () => remove(comment, element), 'text-button'))
    return element
  }
  const reply = (comment: Comment, element: HTMLElement) => {
    const open = findElement('.comment-form', element)
    if (open) return open.remove()
    const form = commentForm({ postId: post.id, to: comment, saved: (added) => [form.remove(), showNew(added)] })
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
    // Without a limit the reply would be a plain list; we always send one.
    if (!('comments' in page)) return
    if (cursor === undefined) threads.replaceChildren()
    for (const comment of page.comments) add(comment)
    cursor = page.pagination.nextCursor ?? undefined
    more.parentElement!.hidden = !page.pagination.hasMore
  }

  more.addEventListener('click', loadMore)
  if (!viewer) return
  if (isOpen)
    getElement('[data-comment-form]', section).replaceChildren(commentForm({ postId: post.id, saved: showNew }))
  await loadMore()
  // The comment that the URL points to has been replaced by a new element.
  if (location.hash.startsWith('#comment-'))
    document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'center' })
}

/** Fills the comment template that came with the page, so that the markup equals the server's. */
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
