import { z } from 'zod'

/** The available reactions. */
export const Reaction = z.enum(['thumbs_up', 'heart', 'fire', 'clap'])
export type Reaction = z.infer<typeof Reaction>

const Count = z.number().int()

/** How many people reacted, and the viewer's own reaction. */
export const ReactionSummary = z
  .object({
    counts: z.object({ thumbs_up: Count, heart: Count, fire: Count, clap: Count }),
    total: Count,
    viewerReaction: Reaction.nullable(),
  })
  .meta({ id: 'ReactionSummary' })
export type ReactionSummary = z.infer<typeof ReactionSummary>
