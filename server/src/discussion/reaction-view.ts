import type { Reaction, ReactionSummary } from '@pennypost/contract/reaction-summary'

export interface ReactionCounts {
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
}

export interface SummaryRow extends ReactionCounts {
  readonly viewer_reaction: Reaction | null
}

export const summaryView = ({ thumbs_up, heart, fire, clap, viewer_reaction }: SummaryRow): ReactionSummary => ({
  counts: { thumbs_up, heart, fire, clap },
  total: thumbs_up + heart + fire + clap,
  viewerReaction: viewer_reaction,
})
