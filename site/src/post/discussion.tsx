import {
  type Comment,
  type CommentSort,
  deleteComment,
  listComments,
  listPublicComments,
} from '@pennypost/contract/comments'
import { reactToComment } from '@pennypost/contract/reactions'
import { reportComment } from '@pennypost/contract/reports'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { type CommentContent, Comment as CommentView } from '../components/comment.tsx'
import { CommentThreads } from '../components/comments-section.tsx'
import { ReactionButtons } from '../components/reactions.tsx'
import { errorMessage } from '../error-message.ts'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { propsOf } from '../props-of.ts'
import { randomUuid } from '../random-uuid.ts'
import type { Account } from '../session.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { confirmAction } from '../ui/confirm-action.tsx'
import { CommentForm } from './comment-form.tsx'
import { TipButton } from './tip-button.tsx'
import { useReactions } from './use-reactions.ts'

/** The post that is discussed. */
export interface Post {
  readonly id: string
  readonly authorId: string
}

interface DiscussionPlace {
  readonly section: HTMLElement
  readonly post: Post
  readonly viewer: Account | null
  readonly sort: CommentSort
}

/** Shows the whole discussion in place of the first comments that the server rendered. */
export async function showDiscussion({ section, post, viewer, sort }: DiscussionPlace): Promise<void> {
  const { count, isOpen } = propsOf<{ count: number; isOpen: boolean }>(section)
  const first = await loadComments(post.id, viewer, sort)
  render(<Discussion post={post} viewer={viewer} count={count} isOpen={isOpen} first={first} />, section)
}

interface CommentPage {
  readonly sort: CommentSort
  readonly comments: readonly Comment[]
  /** Where the next page starts; undefined on the last. */
  readonly cursor: string | undefined
}

async function loadComments(
  postId: string,
  viewer: Account | null,
  sort: CommentSort,
  cursor?: string,
): Promise<CommentPage> {
  const input = { params: { postId }, query: { limit: '100', sort, ...(cursor !== undefined && { cursor }) } }
  const page = viewer ? await callApi(listComments, input) : await callApi(listPublicComments, input)
  // Without a limit the reply would be a plain list; we always send one.
  if (!('comments' in page)) return { sort, comments: [], cursor: undefined }
  return { sort, comments: page.comments, cursor: page.pagination.nextCursor ?? undefined }
}

interface DiscussionProps {
  readonly post: Post
  readonly viewer: Account | null
  readonly count: number
  readonly isOpen: boolean
  readonly first: CommentPage
}

function Discussion({ post, viewer, count: firstCount, isOpen, first }: DiscussionProps) {
  const [{ sort, comments, cursor }, setPage] = useState(first)
  const [count, setCount] = useState(firstCount)
  const [newId, setNewId] = useState<string>()
  useEffect(() => {
    const added = newId === undefined ? null : document.getElementById(`comment-${newId}`)
    if (!added) return
    added.scrollIntoView({ block: 'center' })
    getElement('a.quiet', added).focus()
  }, [newId])
  const add = (comment: Comment) => {
    setPage((page) => ({
      ...page,
      comments: page.sort === 'newest' ? [comment, ...page.comments] : [...page.comments, comment],
    }))
    setCount((known) => known + 1)
    setNewId(comment.id)
  }
  const remove = ({ id }: Comment) => {
    setPage((page) => ({
      ...page,
      comments: page.comments.map((each) => (each.id === id ? { ...each, content: null } : each)),
    }))
    setCount((known) => known - 1)
  }
  const loadMore = async () => {
    const next = await loadComments(post.id, viewer, sort, cursor)
    // A thread that got a reaction meanwhile may come again.
    const shown = new Set(comments.map(({ id }) => id))
    setPage({ ...next, comments: [...comments, ...next.comments.filter(({ id }) => !shown.has(id))] })
  }
  const changeSort = async (chosen: CommentSort) => {
    try {
      setPage(await loadComments(post.id, viewer, chosen))
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  const byId = new Map(comments.map((comment) => [comment.id, comment]))
  return (
    <CommentThreads
      postId={post.id}
      comments={comments.map(commentContent)}
      count={count}
      isOpen={isOpen}
      hasMore={cursor !== undefined}
      sort={sort}
      onSort={changeSort}
      onMore={loadMore}
      form={viewer && isOpen ? <CommentForm postId={post.id} onSaved={add} /> : undefined}
      show={({ id }) => (
        <LiveComment
          comment={byId.get(id)!}
          post={post}
          viewer={viewer}
          mayReply={viewer !== null && isOpen}
          onReplied={add}
          onRemoved={remove}
        />
      )}
    />
  )
}

/** A comment of the API as pages show it. */
const commentContent = (comment: Comment): CommentContent => ({
  id: comment.id,
  threadRootId: comment.thread_root_id,
  author: comment.author,
  createdAt: comment.created_at,
  content: comment.content,
  mentioned: Object.fromEntries(
    comment.mentions.map(({ handle, profileId }) => [
      handle,
      comment.mentionProfiles.find((person) => person.profileId === profileId)?.currentHandle ?? handle,
    ]),
  ),
  counts: comment.reactions.counts,
})

interface LiveCommentProps {
  readonly comment: Comment
  readonly post: Post
  readonly viewer: Account | null
  readonly mayReply: boolean
  readonly onReplied: (reply: Comment) => void
  readonly onRemoved: (comment: Comment) => void
}

/** A comment with its buttons. Only a changed comment is rendered again: a discussion can have hundreds. */
const LiveComment = (props: LiveCommentProps) => useMemo(() => <CommentWithActions {...props} />, [props.comment])

function CommentWithActions({ comment, post, viewer, mayReply, onReplied, onRemoved }: LiveCommentProps) {
  const [isReplying, setReplying] = useState(false)
  const reactions = useReactions(comment.reactions, viewer, (reaction) =>
    callApi(reactToComment, { params: { commentId: comment.id }, body: { reaction } }),
  )
  const remove = async () => {
    if ((await confirmAction('Delete this comment?', 'Delete')) === undefined) return
    await callApi(deleteComment, { params: { commentId: comment.id } })
    onRemoved(comment)
  }
  const saved = (reply: Comment) => {
    setReplying(false)
    onReplied(reply)
  }
  const isOwn = viewer?.id === comment.author.id
  const mayDelete = viewer && (viewer.isAdmin || isOwn || viewer.id === post.authorId)
  const actions = (
    <>
      <ReactionButtons {...reactions} />
      {mayReply && (
        <Button class="text-button" action={() => setReplying(!isReplying)}>
          Reply
        </Button>
      )}
      {!isOwn && <TipButton postId={post.id} comment={{ id: comment.id, name: comment.author.name }} />}
      {viewer && !isOwn && (
        <Button class="text-button" action={() => report(comment)}>
          Report
        </Button>
      )}
      {mayDelete && (
        <Button class="text-button" action={remove}>
          Delete
        </Button>
      )}
    </>
  )
  return (
    <CommentView comment={commentContent(comment)} now={Date.now()} actions={actions}>
      {isReplying && <CommentForm postId={post.id} to={comment} onSaved={saved} />}
    </CommentView>
  )
}

async function report({ id }: Comment): Promise<void> {
  const reason = await confirmAction('Report this comment?', 'Report', 'What is wrong with it?')
  if (reason === undefined) return
  await callApi(reportComment, { params: { commentId: id }, idempotencyKey: randomUuid(), body: { reason } })
  showToast('Thank you. An administrator will look at it.')
}
