import { oneLine } from '../clean-text.ts'
import { CatalogForm, type Filters } from './catalog-form.tsx'
import { Pager } from './pager.tsx'
import { type PostCardContent, PostList } from './post-list.tsx'

interface CatalogPageProps {
  /** What the operator says of the site, in one line. */
  readonly tagline: string
  readonly filters: Filters
  readonly isFiltered: boolean
  readonly posts: readonly PostCardContent[]
  readonly page: number
  readonly hasMore: boolean
  readonly pathOf: (page: number) => string
}

/** The home page: all posts, or those that match a search. */
export const CatalogPage = ({ tagline, filters, isFiltered, posts, page, hasMore, pathOf }: CatalogPageProps) => (
  <main id="main" class="list">
    {filters.q ? (
      <h1>
        Posts about <q dir="auto">{oneLine(filters.q)}</q>
      </h1>
    ) : (
      <h1>{tagline || 'Posts'}</h1>
    )}
    <CatalogForm filters={filters} />
    {posts.length > 0 ? <PostList posts={posts} /> : <Empty isFiltered={isFiltered} />}
    {isFiltered && (
      <p>
        <a href="/">All Posts</a>
      </p>
    )}
    <Pager page={page} hasMore={hasMore} pathOf={pathOf} />
  </main>
)

const Empty = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <p class="empty">Nothing was found. Fewer words, or fewer filters, find more.</p>
  ) : (
    <p class="empty">
      Nothing is published yet. <a href="/studio">Write the first Post</a>.
    </p>
  )
