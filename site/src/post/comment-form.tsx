import { addComment, type Comment } from '@pennypost/contract/comments'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { oneLine } from '../clean-text.ts'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { withProfile } from '../ui/complete-profile.tsx'
import { type ChosenPeople, MentionInput, mentionsIn } from './mention-input.tsx'

interface CommentFormProps {
  readonly postId: string
  /** The comment to reply to; undefined starts a thread. */
  readonly to?: Comment
  readonly onSaved: (comment: Comment) => void
}

/** The form for a comment. Sending the same text again uses the same idempotency key, so it is saved only once. */
export function CommentForm({ postId, to, onSaved }: CommentFormProps) {
  const input = useRef<HTMLTextAreaElement>(null)
  const chosen = useRef<ChosenPeople>(new Map()).current
  const key = useRef(randomUuid())
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isReply = to !== undefined
  useEffect(() => {
    if (isReply) input.current?.focus()
  }, [isReply])
  const send = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    const field = input.current!
    setBusy(true)
    setProblem(undefined)
    try {
      const body = {
        content: field.value,
        mentions: mentionsIn(field.value, chosen),
        ...(to && { parentCommentId: to.thread_root_id, replyTargetCommentId: to.id }),
      }
      const reply = await withProfile(() =>
        callApi(addComment, { params: { postId }, idempotencyKey: key.current, body }),
      )
      field.value = ''
      if ('content' in reply) onSaved(reply)
      else location.reload()
    } catch (error) {
      setProblem(errorMessage(error))
    } finally {
      setBusy(false)
    }
  }
  const replyTo = to && `Reply to ${oneLine(to.author.name)}`
  return (
    <form class="comment-form" onSubmit={send}>
      <MentionInput
        input={input}
        chosen={chosen}
        label={replyTo ?? 'Your comment'}
        placeholder={replyTo ?? 'Add a comment. Use @ to mention someone.'}
        onInput={() => {
          key.current = randomUuid()
        }}
      />
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <div class="row apart">
        {/* Not `disabled`: the browser would take the focus away. */}
        <button type="submit" class="small" aria-disabled={isBusy || undefined}>
          {isReply ? 'Reply' : 'Comment'}
        </button>
        <span class="hint">**bold**, *italic*, `code`, &gt; quote, - list</span>
      </div>
    </form>
  )
}
