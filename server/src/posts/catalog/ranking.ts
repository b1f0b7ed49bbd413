/** What people did with a Post. */
export interface Figures {
  readonly sales: number
  readonly reactions: number
  readonly comments: number
  readonly readers: number
}

const dayMs = 24 * 3_600_000
const epoch = Date.parse('2020-01-01T00:00:00Z')

/** The order `popular`: what people did, whenever. A sale says ten times as much as a distinct reader. */
export const popularityOf = ({ sales, reactions, comments, readers }: Figures): number =>
  10 * sales + 4 * reactions + 2 * comments + readers

/**
 * The order `recommended`: a Post that is two days newer stands level with one that drew twice the interest. It never
 * has to be computed again because time passes: all scores fall behind new ones at the same pace. The formula is told
 * to readers in docs/recommended.md.
 */
export const recommendedScore = (publishedAt: Date, interest: number): number =>
  Math.log2(1 + interest) + (publishedAt.getTime() - epoch) / (2 * dayMs)
