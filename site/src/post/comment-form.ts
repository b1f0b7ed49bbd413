import { addComment, type Comment } from '@pennypost/contract/comments'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { errorMessage } from '../error-message.ts'
import { randomUuid } from '../random-uuid.ts'
import { mentionSuggestions } from './mention-suggestions.ts'

interface CommentFormOptions {
  readonly postId: string
  /** The comment to reply to; undefined starts a thread. */
  readonly to?: Comment
  readonly saved: (comment: Comment) => void
}

/** The form for a comment. Sending the same text again uses the same idempotency key, so it is saved only once. */
export function commentForm({ postId, to, saved }: CommentFormOptions): HTMLFormElement {
  const input = h('textarea', {
    required: true,
    maxlength: 2000,
    rows: 3,
    'aria-label': to ? `Answer ${to.author.name}` : 'Your comment',
    placeholder: to ? `Answer ${to.author.name}` : 'Say something. @ mentions somebody.',
  })
  const people = mentionSuggestions(input)
  const problem = h('p', { class: 'notice bad', role: 'alert', hidden: true })
  const button = h('button', { class: 'small' }, to ? 'Answer' : 'Comment')
  const form = h('form', { class: 'comment-form' }, input, people.element, problem, h('div', { class: 'row' }, button))
  let key = randomUuid()
  input.addEventListener('input', () => {
    key = randomUuid()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    problem.hidden = true
    try {
      const reply = await callApi(addComment, {
        params: { postId },
        idempotencyKey: key,
        body: {
          content: input.value,
          mentions: people.mentions(),
          ...(to && { parentCommentId: to.thread_root_id, replyTargetCommentId: to.id }),
        },
      })
      input.value = ''
      if ('content' in reply) saved(reply)
      else location.reload()
    } catch (error) {
      problem.textContent = errorMessage(error)
      problem.hidden = false
    } finally {
      button.disabled = false
    }
  })
  return form
}
