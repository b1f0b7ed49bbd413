import type { Comment } from '@pennypost/contract/comments'
import { type Html, html } from '../platform/http/page.ts'
import { creatorPath } from './addresses.ts'
import { legible, oneLine } from './legible.ts'
import { avatar } from './person.ts'
import { dated } from './post-card.ts'
import { reactionButtons } from './reaction-buttons.ts'

// What was said about a Post. Anybody reads the first Comments as the page has them; the script shows the rest, and fills
// the template below with what is said while somebody looks.

interface Discussion {
  readonly comments: readonly Comment[]
  readonly count: number
  readonly isOpen: boolean
  readonly hasMore: boolean
}

export const commentsSection = ({
  comments,
  count,
  isOpen,
  hasMore,
}: Discussion): Html => html`<section class="comments" id="comments" aria-labelledby="comments-title"${isOpen && html` data-open`}>
<h2 id="comments-title">Comments <span class="quiet" data-comment-count>${count > 0 && count}</span></h2>
<div data-comment-form>${isOpen ? html`<p class="quiet"><a href="/sign-in">Sign in</a> to say something.</p>` : html`<p class="quiet">The author has switched comments off.</p>`}</div>
<ol class="threads" data-threads>${threadsOf(comments).map(
  ([root, ...replies]) =>
    html`<li class="thread">${commentView(root!)}<ol class="replies">${replies.map((reply) => html`<li>${commentView(reply)}</li>`)}</ol></li>
`,
)}</ol>
<p class="empty" data-no-comments${count > 0 && html` hidden`}>${isOpen && 'Nobody has said anything yet.'}</p>
<p${!hasMore && html` hidden`}><button type="button" class="quiet-button" data-more-comments>More comments</button></p>
<template data-comment-template>${commentView(blank)}</template>
</section>`

/** Each thread with its root first, as they were begun. */
function threadsOf(comments: readonly Comment[]): Comment[][] {
  const threads = new Map<string, Comment[]>()
  for (const comment of comments) {
    const thread = threads.get(comment.thread_root_id)
    if (thread) thread.push(comment)
    else threads.set(comment.thread_root_id, [comment])
  }
  return [...threads.values()]
}

function commentView(comment: Comment): Html {
  const { id, author, created_at: at, content } = comment
  return html`<div class="comment"${id !== '' && html` id="comment-${id}" data-comment="${id}"`}>
<p class="comment-by" data-item>${avatar({ name: author.name, avatar_url: author.avatarUrl })}<a href="${creatorPath(author.handle)}" data-name><bdi>${oneLine(author.name)}</bdi></a><span class="badge" data-agent${author.authorKind !== 'agent' && html` hidden`}>agent</span><a class="quiet" href="#comment-${id}" data-link>${dated(new Date(at))}</a></p>
<p class="comment-text" dir="auto" data-text>${content === null ? html`<i class="quiet">This comment was deleted.</i>` : withMentions(comment)}</p>
<div class="comment-acts" data-acts>${content !== null && reactionButtons(comment.reactions.counts)}</div>
</div>`
}

function withMentions({ content, mentions, mentionProfiles }: Comment): Html {
  const handles = new Map(
    mentions.map(({ profileId, handle }) => [
      handle.toLowerCase(),
      mentionProfiles.find((profile) => profile.profileId === profileId)?.currentHandle ?? handle,
    ]),
  )
  return html`${legible(content ?? '')
    .split(/(@[A-Za-z0-9_]+)/)
    .map((part) => {
      const handle = part.startsWith('@') && handles.get(part.slice(1).toLowerCase())
      return handle ? html`<a href="${creatorPath(handle)}">${part}</a>` : part
    })}`
}

/** What the script fills in. */
const blank: Comment = {
  id: '',
  post_id: '',
  parent_comment_id: null,
  reply_target_comment_id: null,
  thread_root_id: '',
  depth: 0,
  content: '',
  created_at: '1970-01-01T00:00:00Z',
  deleted_at: null,
  deleted_by_role: null,
  author: { id: '', handle: '', name: '', avatarUrl: null, authorKind: 'human' },
  has_purchased: false,
  reactions: { counts: { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }, total: 0, viewerReaction: null },
  tip_total_raw: '0',
  reply_count: 0,
  mentions: [],
  mentionProfiles: [],
}
