import type { Reaction } from '@pennypost/contract/reaction-summary'
import type { Refusal } from '@pennypost/contract/refusal'
import type pg from 'pg'
import { personView } from '../accounts/person-view.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Viewer } from './comment-store.ts'
import { findSummary, listReactorRows, type ReactionTarget } from './reaction-store.ts'
import { summaryView } from './reaction-view.ts'

interface Query {
  readonly reaction?: Reaction | undefined
  readonly limit: number
  readonly offset: number
}

/** Reads the reaction counts of a post or comment. With `reaction`, also lists who chose it. */
export async function readReactions(
  pool: pg.Pool,
  target: ReactionTarget,
  { viewer, id, query, absent, origin }: { viewer: Viewer; id: string; query: Query; absent: Refusal; origin: string },
) {
  const row = (await findSummary(pool, target, viewer, id)) ?? refuse(absent)
  const summary = summaryView(row)
  const { reaction, limit, offset } = query
  if (!reaction) return { summary, reaction: null, reactors: [], pagination: null }
  const found = await listReactorRows(pool, target, id, { reaction, limit, offset })
  const total = row[reaction]
  return {
    summary,
    reaction,
    reactors: found.map((reactor) => ({
      profile: personView(reactor, origin),
      reaction: reactor.reaction,
      created_at: reactor.created_at.toISOString(),
    })),
    pagination: { limit, offset, total, hasMore: offset + found.length < total },
  }
}
