/** How often readers bought, read, commented on and reacted to a post. */
export interface Figures {
  readonly sales: number
  readonly reactions: number
  readonly comments: number
  readonly readers: number
}

const dayMs = 24 * 3_600_000
const epoch = Date.parse('2020-01-01T00:00:00Z')

/** Orders `popular`: what readers did, at any time. A sale counts ten times as much as a distinct reader. */
export const popularityOf = ({ sales, reactions, comments, readers }: Figures): number =>
  10 * sales + 4 * reactions + 2 * comments + readers

/**
 * Orders `recommended`: a post that is two days newer ranks level with one that is twice as popular. Scores don't have to
 * be recomputed as time passes, because all of them fall behind new posts at the same pace. docs/recommended.md
 * explains the formula to readers.
 */
export const recommendedScore = (publishedAt: Date, popularity: number): number =>
  Math.log2(1 + popularity) + (publishedAt.getTime() - epoch) / (2 * dayMs)
