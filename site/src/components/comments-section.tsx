import type { CommentSort } from '@pennypost/contract/comments'
import type { Children } from '../jsx/markup.ts'
import { postPath } from '../paths.ts'
import { signInPath } from '../redirect-to-sign-in.ts'
import { Comment, type CommentContent } from './comment.tsx'

export interface Discussion {
  readonly postId: string
  readonly comments: readonly CommentContent[]
  readonly count: number
  readonly isOpen: boolean
  readonly hasMore: boolean
}

/** The comments of a post. The page has the oldest ones; the script shows all of them in the same place. */
export const CommentsSection = (discussion: Discussion) => (
  <section
    class="comments"
    id="comments"
    aria-labelledby="comments-title"
    data-props={JSON.stringify({ count: discussion.count, isOpen: discussion.isOpen })}
  >
    <CommentThreads {...discussion} />
  </section>
)

interface CommentThreadsProps extends Discussion {
  /** The form for a new comment; without it a link to sign in. */
  readonly form?: Children
  readonly sort?: CommentSort
  /** Without it the order cannot be changed yet. */
  readonly onSort?: ((sort: CommentSort) => unknown) | undefined
  readonly onMore?: () => unknown
  /** How a comment is shown; without it as text only. */
  readonly show?: (comment: CommentContent) => Children
}

const showText = (comment: CommentContent) => <Comment comment={comment} />

/** The content of the section. */
export const CommentThreads = ({
  postId,
  comments,
  count,
  isOpen,
  hasMore,
  form,
  sort = 'oldest',
  onSort,
  onMore,
  show = showText,
}: CommentThreadsProps) => (
  <>
    <div class="row apart">
      <h2 id="comments-title">
        Comments <span class="quiet">{count > 0 && count}</span>
      </h2>
      {count > 1 && <SortSelect sort={sort} onSort={onSort} />}
    </div>
    <div class="comment-place">{form ?? <WithoutForm postId={postId} isOpen={isOpen} />}</div>
    <ol class="threads">
      {threadsOf(comments).map(([root, ...replies]) => (
        <li class="thread" key={root!.id}>
          {show(root!)}
          {replies.length > 0 && (
            <ol class="replies">
              {replies.map((reply) => (
                <li key={reply.id}>{show(reply)}</li>
              ))}
            </ol>
          )}
        </li>
      ))}
    </ol>
    {isOpen && comments.length === 0 && <p class="empty">No comments yet.</p>}
    {hasMore && (
      <p>
        <button type="button" class="quiet-button" data-more-comments="" onClick={onMore}>
          More comments
        </button>
      </p>
    )}
  </>
)

const sorts: readonly (readonly [CommentSort, string])[] = [
  ['oldest', 'Oldest first'],
  ['newest', 'Newest first'],
  ['popular', 'Most reactions'],
]

/** The order of the threads. It needs a script, so it is not shown without one. */
const SortSelect = ({ sort, onSort }: Pick<CommentThreadsProps, 'sort' | 'onSort'>) => (
  <select
    class="with-script"
    aria-label="Order of the comments"
    autocomplete="off"
    data-sort-comments=""
    onChange={(event) => onSort?.(event.currentTarget.value as CommentSort)}
  >
    {sorts.map(([value, label]) => (
      <option key={value} value={value} selected={value === sort}>
        {label}
      </option>
    ))}
  </select>
)

const WithoutForm = ({ postId, isOpen }: Pick<Discussion, 'postId' | 'isOpen'>) =>
  isOpen ? (
    <p class="quiet">
      <a href={signInPath(`${postPath(postId)}#comments`, 'comment')}>Sign in</a> to comment.
    </p>
  ) : (
    <p class="quiet">The author has switched comments off.</p>
  )

/** Groups comments into threads, each with its first comment and its replies, in the order of the list. */
function threadsOf(comments: readonly CommentContent[]): CommentContent[][] {
  const threads = new Map<string, CommentContent[]>()
  for (const comment of comments) {
    const thread = threads.get(comment.threadRootId)
    if (thread) thread.push(comment)
    else threads.set(comment.threadRootId, [comment])
  }
  return [...threads.values()]
}
