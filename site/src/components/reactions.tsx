import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'

const reactions: readonly (readonly [Reaction, string])[] = [
  ['thumbs_up', 'Thumbs up'],
  ['heart', 'Heart'],
  ['fire', 'Fire'],
  ['clap', 'Clap'],
]

export type ReactionCounts = ReactionSummary['counts']

interface ReactionButtonsProps {
  readonly counts: ReactionCounts
  readonly mine?: Reaction | null
  /** Without it the buttons are disabled: the server renders them before a script can handle them. */
  readonly onReact?: (reaction: Reaction) => unknown
}

/** The reactions as buttons with their counts. */
export const ReactionButtons = ({ counts, mine = null, onReact }: ReactionButtonsProps) => (
  <span class="reactions" role="group" aria-label="Reactions">
    {reactions.map(([reaction, name]) => (
      <button
        type="button"
        key={reaction}
        data-reaction={reaction}
        aria-pressed={reaction === mine}
        title={name}
        disabled={!onReact}
        onClick={onReact && (() => onReact(reaction))}
      >
        <Sign reaction={reaction} name={name} />
        <span>{counts[reaction] > 0 && counts[reaction]}</span>
      </button>
    ))}
  </span>
)

/** Only the reactions that were used, as figures. Most comments have none. */
export function ReactionFigures({ counts }: { readonly counts: ReactionCounts }) {
  const used = reactions.filter(([reaction]) => counts[reaction] > 0)
  if (used.length === 0) return null
  return (
    <span class="reactions" role="group" aria-label="Reactions">
      {used.map(([reaction, name]) => (
        <span title={name} key={reaction}>
          <Sign reaction={reaction} name={name} />
          {counts[reaction]}
        </span>
      ))}
    </span>
  )
}

const Sign = ({ reaction, name }: { readonly reaction: Reaction; readonly name: string }) => (
  <>
    <span data-sign={reaction} aria-hidden="true" />
    <span class="visually-hidden">{name}</span>{' '}
  </>
)
