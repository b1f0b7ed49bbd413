import { z } from 'zod'

/** §2: the reactions there are. Null takes one's own away. */
export const Reaction = z.enum(['thumbs_up', 'heart', 'fire', 'clap'])
export type Reaction = z.infer<typeof Reaction>

const Count = z.number().int()

/** §2: how many reacted, and what the one who asks chose. */
export const ReactionSummary = z
  .object({
    counts: z.object({ thumbs_up: Count, heart: Count, fire: Count, clap: Count }),
    total: Count,
    viewerReaction: Reaction.nullable(),
  })
  .meta({ id: 'ReactionSummary' })
export type ReactionSummary = z.infer<typeof ReactionSummary>
