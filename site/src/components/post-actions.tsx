import type { Reaction } from '@pennypost/contract/reaction-summary'
import type { Children } from '../jsx/markup.ts'
import { ReactionButtons, type ReactionCounts } from './reactions.tsx'

interface PostActionsProps {
  readonly counts: ReactionCounts
  readonly mine?: Reaction | null
  readonly onReact?: (reaction: Reaction) => unknown
  /** The label of the author's tip button; undefined without a button. */
  readonly tipLabel: string | undefined
  readonly onTip?: () => unknown
  readonly children?: Children
}

/** The buttons below a post: reactions, tip and, with a script, more. */
export const PostActions = ({ tipLabel, onTip, children, ...reactions }: PostActionsProps) => (
  <>
    <ReactionButtons {...reactions} />
    {tipLabel !== undefined && (
      <button type="button" class="quiet-button small with-script" disabled={!onTip} onClick={onTip}>
        {tipLabel}
      </button>
    )}
    {children}
  </>
)
