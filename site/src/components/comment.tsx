import { cleanText, oneLine } from '../clean-text.ts'
import type { Children } from '../jsx/markup.ts'
import { creatorPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { type Person, PersonLink } from './person-link.tsx'
import { type ReactionCounts, ReactionFigures } from './reactions.tsx'
import { Time } from './time.tsx'

/** A comment as pages show it. */
export interface CommentContent {
  readonly id: string
  readonly threadRootId: string
  readonly author: Person
  readonly createdAt: string
  /** Null if it was deleted. */
  readonly content: string | null
  /** From a mentioned handle, in lower case, to that person's current handle. */
  readonly mentioned: Readonly<Record<string, string>>
  readonly counts: ReactionCounts
}

interface CommentProps {
  readonly comment: CommentContent
  readonly now?: number | undefined
  /** What a signed-in reader can do; without it the reactions as figures. */
  readonly actions?: Children
  /** Below the comment, such as the form for a reply. */
  readonly children?: Children
}

export const Comment = ({ comment, now, actions, children }: CommentProps) => {
  const { id, author, content } = comment
  const anchor = `comment-${id}`
  return (
    <div class="comment" id={anchor}>
      <p class="comment-by" data-item="">
        <Avatar person={author} />
        <PersonLink person={author} />
        <a class="quiet" href={`#${anchor}`}>
          <Time at={comment.createdAt} now={now} />
        </a>
      </p>
      <p class="comment-text" dir="auto">
        {content === null ? (
          <i class="quiet">This comment was deleted.</i>
        ) : (
          withMentions(cleanText(content), comment.mentioned)
        )}
      </p>
      <div class="comment-acts">{content !== null && (actions ?? <FiguresAndTip comment={comment} />)}</div>
      {children}
    </div>
  )
}

/** What a stranger sees. The script puts a button into the place for tips. */
const FiguresAndTip = ({ comment: { id, author, counts } }: Pick<CommentProps, 'comment'>) => (
  <>
    <ReactionFigures counts={counts} />
    <span data-tip="" data-props={JSON.stringify({ id, name: oneLine(author.name) })} />
  </>
)

/** The text with links to the people it mentions. */
function withMentions(text: string, mentioned: CommentContent['mentioned']): Children {
  if (!text.includes('@')) return text
  return text.split(/(@[A-Za-z0-9_]+)/).map((part) => {
    const handle = part.slice(1).toLowerCase()
    if (!part.startsWith('@') || !Object.hasOwn(mentioned, handle)) return part
    return <a href={creatorPath(mentioned[handle]!)}>{part}</a>
  })
}
