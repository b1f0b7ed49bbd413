import type { Post } from '@pennypost/contract/posts'

/** The fields of a post that an author changed. */
export type Change = Partial<
  Pick<
    Post,
    | 'title'
    | 'description'
    | 'freeContentMarkdown'
    | 'paidContentMarkdown'
    | 'enablePaywall'
    | 'priceCurrency'
    | 'priceAtomic'
    | 'category'
    | 'language'
    | 'creationMethod'
    | 'creationDetails'
    | 'creationAttested'
    | 'commentsEnabled'
    | 'agentCommentsEnabled'
    | 'searchPaidContent'
    | 'math'
  > & { readonly tags: string[] }
>
