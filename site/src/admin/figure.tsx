import type { Backlog } from '@pennypost/contract/admin-overview'
import { Time } from '../components/time.tsx'
import type { Children } from '../jsx/markup.ts'

interface FigureProps {
  readonly label: string
  /** Where they are listed. */
  readonly href?: string
  readonly backlog: Backlog
  /** Whether any of these needs a person. */
  readonly isBad?: boolean
  readonly children?: Children
}

/** How many wait, and since when. */
export const Figure = ({ label, href, backlog: { count, oldestAt }, isBad = false, children }: FigureProps) => (
  <div>
    <dt>{href === undefined ? label : <a href={href}>{label}</a>}</dt>
    <dd>
      <b class={isBad && count > 0 ? 'bad' : undefined}>{count}</b>{' '}
      {count > 0 && (
        <span class="quiet">
          {children}
          {oldestAt !== null && (
            <>
              oldest <Time at={oldestAt} now={Date.now()} />
            </>
          )}
        </span>
      )}
    </dd>
  </div>
)
