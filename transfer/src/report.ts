/** The result for one post, or what it would be. */
export interface PostReport {
  readonly sourceId: string
  readonly title: string
  /**
   * `kept`: it was edited here since and stays as it is. `skipped`: it is not a post, or its author is not imported.
   * `refused`: the service does not take it; the notes say why.
   */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept' | 'skipped' | 'refused'
  readonly status?: 'draft' | 'published' | 'withdrawn'
  readonly account?: string
  readonly author?: string
  readonly pageUrl?: string
  readonly oldPaths?: readonly string[]
  readonly files?: { readonly wanted: number; readonly sent: number; readonly failed: number }
  readonly notes: readonly string[]
}

export interface ImportReport {
  readonly platform: string
  readonly isDryRun: boolean
  readonly posts: readonly PostReport[]
  readonly totals: Readonly<Record<PostReport['outcome'] | 'drafts' | 'paid' | 'files' | 'filesFailed', number>>
  /** How many posts each author has. */
  readonly authors: Readonly<Record<string, number>>
}

export function reportOf(
  platform: string,
  isDryRun: boolean,
  posts: readonly (PostReport & { readonly isPaid?: boolean })[],
): ImportReport {
  const count = (is: (post: PostReport & { readonly isPaid?: boolean }) => boolean) => posts.filter(is).length
  const sum = (of: (post: PostReport) => number) => posts.reduce((total, post) => total + of(post), 0)
  const authors: Record<string, number> = Object.create(null)
  for (const { author = '' } of posts) if (author !== '') authors[author] = (authors[author] ?? 0) + 1
  return {
    platform,
    isDryRun,
    posts: posts.map(({ isPaid: _, ...post }) => post),
    totals: {
      created: count(({ outcome }) => outcome === 'created'),
      updated: count(({ outcome }) => outcome === 'updated'),
      unchanged: count(({ outcome }) => outcome === 'unchanged'),
      kept: count(({ outcome }) => outcome === 'kept'),
      skipped: count(({ outcome }) => outcome === 'skipped'),
      refused: count(({ outcome }) => outcome === 'refused'),
      drafts: count(({ status }) => status === 'draft'),
      paid: count(({ isPaid }) => isPaid === true),
      files: sum(({ files }) => files?.wanted ?? 0),
      filesFailed: sum(({ files }) => files?.failed ?? 0),
    },
    authors,
  }
}
