import type { Post } from '@pennypost/contract/posts'

/** What an author changed about a post. */
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
