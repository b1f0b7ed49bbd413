import { oneLine } from '../clean-text.ts'
import type { Children } from '../jsx/markup.ts'
import { Avatar } from './avatar.tsx'
import { CommentText, type Mentioned } from './comment-text.tsx'
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
  readonly mentioned: Mentioned
  readonly counts: ReactionCounts
}

interface CommentProps {
  readonly comment: CommentContent
  readonly now?: number | undefined
  /** Buttons for signed-in readers. Without them, reactions are shown as figures. */
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
      {content === null ? (
        <p class="comment-text">
          <i class="quiet">This comment was deleted.</i>
        </p>
      ) : (
        <CommentText text={content} mentioned={comment.mentioned} />
      )}
      <div class="comment-acts">{content !== null && (actions ?? <FiguresAndTip comment={comment} />)}</div>
      {children}
    </div>
  )
}

/** The counts of reactions, for readers who are not signed in. The script adds the tip button. */
const FiguresAndTip = ({ comment: { id, author, counts } }: Pick<CommentProps, 'comment'>) => (
  <>
    <ReactionFigures counts={counts} />
    <span data-tip="" data-props={JSON.stringify({ id, name: oneLine(author.name) })} />
  </>
)
