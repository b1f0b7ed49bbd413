import { oneLine } from '../clean-text.ts'
import { creatorPath } from '../paths.ts'
import { Pager } from './pager.tsx'
import { Name } from './person-link.tsx'
import { type PostCardContent, PostList } from './post-list.tsx'

interface CollectionPageProps {
  readonly name: string
  readonly creator?: { readonly handle: string; readonly name: string }
  readonly posts: readonly PostCardContent[]
  readonly page: number
  readonly hasMore: boolean
  readonly pathOf: (page: number) => string
}

/** The posts with one tag: of one creator, or of all. */
export const CollectionPage = ({ name, creator, posts, page, hasMore, pathOf }: CollectionPageProps) => (
  <main id="main" class="list">
    <p class="eyebrow">{creator ? 'Collection' : 'Tag'}</p>
    <h1 dir="auto">{oneLine(name)}</h1>
    {creator && (
      <p class="facts">
        Posts by{' '}
        <a href={creatorPath(creator.handle)}>
          <Name of={creator.name} />
        </a>
      </p>
    )}
    {posts.length > 0 ? (
      <PostList posts={posts} showsAuthor={creator === undefined} />
    ) : (
      <p class="empty">Nothing is on this page.</p>
    )}
    <Pager page={page} hasMore={hasMore} pathOf={pathOf} />
  </main>
)
