import type { Post } from '@pennypost/contract/posts'

/** Both texts of a post as one, to be compared. */
export const textOf = ({
  freeContentMarkdown,
  paidContentMarkdown,
}: Pick<Post, 'freeContentMarkdown' | 'paidContentMarkdown'>): string =>
  [freeContentMarkdown, paidContentMarkdown].filter((text) => text !== '').join('\n\n— Paid from here —\n\n')
