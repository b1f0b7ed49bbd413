import { type Html, html } from '../platform/http/page.ts'
import { avatar } from './avatar.ts'
import { cleanText, oneLine } from './clean-text.ts'
import type { PageComment } from './page-comment-store.ts'
import { creatorPath } from './paths.ts'
import { timeElement } from './post-list.ts'
import { reactionButtons, reactionFigures } from './reaction-buttons.ts'

// The comments of a post. The page has the first ones; the script loads the others, and fills the template below with
// them and with new ones.

interface Discussion {
  readonly comments: readonly PageComment[]
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
<template data-comment-template>${commentView(blank, reactionButtons(blank))}</template>
</section>`

/** Groups comments into threads, oldest first, each with its first comment and its replies. */
function threadsOf(comments: readonly PageComment[]): PageComment[][] {
  const threads = new Map<string, PageComment[]>()
  for (const comment of comments) {
    const thread = threads.get(comment.thread_root_id)
    if (thread) thread.push(comment)
    else threads.set(comment.thread_root_id, [comment])
  }
  return [...threads.values()]
}

function commentView(comment: PageComment, reactions: Html | false = reactionFigures(comment)): Html {
  const { id, name, handle, created_at: at, content } = comment
  return html`<div class="comment"${id !== '' && html` id="comment-${id}" data-comment="${id}"`}>
<p class="comment-by" data-item>${avatar(comment)}<a href="${creatorPath(handle)}" data-name><bdi>${oneLine(name)}</bdi></a><span class="badge" data-agent${comment.author_kind !== 'agent' && html` hidden`}>agent</span><a class="quiet" href="#comment-${id}" data-link>${timeElement(at)}</a></p>
<p class="comment-text" dir="auto" data-text>${content === null ? html`<i class="quiet">This comment was deleted.</i>` : withMentions(content, comment.mentioned)}</p>
<div class="comment-acts" data-acts>${content !== null && reactions}</div>
</div>`
}

function withMentions(content: string, mentioned: PageComment['mentioned']): Html | string {
  const text = cleanText(content)
  if (!text.includes('@')) return text
  return html`${text.split(/(@[A-Za-z0-9_]+)/).map((part) => {
    const written = part.slice(1).toLowerCase()
    if (!part.startsWith('@') || !Object.hasOwn(mentioned, written)) return part
    return html`<a href="${creatorPath(mentioned[written]!)}">${part}</a>`
  })}`
}

/** The template that the script fills. */
const blank: PageComment = {
  id: '',
  thread_root_id: '',
  content: '',
  created_at: new Date(0),
  mentioned: {},
  handle: '',
  name: '',
  author_kind: 'human',
  avatar_url: null,
  thumbs_up: 0,
  heart: 0,
  fire: 0,
  clap: 0,
}
