import { oneLine } from '../clean-text.ts'
import { catalogPath, type Filters } from '../paths.ts'
import { CatalogForm } from './catalog-form.tsx'
import { CatalogTabs } from './catalog-tabs.tsx'
import { Pager } from './pager.tsx'
import { type PostCardContent, PostList } from './post-list.tsx'

interface CatalogPageProps {
  /** What the operator says of the site: in one line, and in a few sentences. */
  readonly tagline: string
  readonly description: string
  /** False if nobody may sign up. */
  readonly canSignUp: boolean
  readonly filters: Filters
  readonly posts: readonly PostCardContent[]
  readonly page: number
  readonly hasMore: boolean
}

/** The home page: all posts, or those that match a search. */
export function CatalogPage({ tagline, description, canSignUp, filters, posts, page, hasMore }: CatalogPageProps) {
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'sort' && value !== undefined)
  const isFirst = !isFiltered && page === 1
  const isEmptySite = isFirst && posts.length === 0
  return (
    <main id="main" class="list">
      {filters.q ? (
        <h1>
          Posts about <q dir="auto">{oneLine(filters.q)}</q>
        </h1>
      ) : (
        <h1>{tagline || 'Posts'}</h1>
      )}
      {isFirst && filters.sort === undefined && !isEmptySite && (
        <Introduction description={description} canSignUp={canSignUp} />
      )}
      {isEmptySite ? (
        <Welcome canSignUp={canSignUp} />
      ) : (
        <>
          <CatalogForm filters={filters} />
          <CatalogTabs filters={filters} isFiltered={isFiltered} />
          {posts.length > 0 ? <PostList posts={posts} /> : <NoResults isFiltered={isFiltered} />}
        </>
      )}
      {isFiltered && (
        <p>
          <a href="/">All posts</a>
        </p>
      )}
      <Pager page={page} hasMore={hasMore} pathOf={(other) => catalogPath(filters, other)} />
    </main>
  )
}

const aboutTheSite =
  'Read for free, or buy a single post for a few cents. No subscription. Writers are paid in Nano or USDC.'

/** What this site is. Everybody gets the same page, so a style hides this from people who are signed in. */
const Introduction = ({ description, canSignUp }: Pick<CatalogPageProps, 'description' | 'canSignUp'>) => (
  <div class="introduction guests-only">
    <p class="lead" dir="auto">
      {oneLine(description) || aboutTheSite}
    </p>
    <p class="row">
      <a class="button" href="/studio">
        Start writing
      </a>
      {canSignUp && (
        <a class="button quiet-button" href="/join">
          Sign up
        </a>
      )}
    </p>
  </div>
)

/** The home page of a site without any posts. */
const Welcome = ({ canSignUp }: Pick<CatalogPageProps, 'canSignUp'>) => (
  <section class="welcome" aria-labelledby="welcome-title">
    <h2 id="welcome-title">Nothing is published yet.</h2>
    {canSignUp && (
      <p class="guests-only">
        Is this your new site? <a href="/join">Sign up</a> with the email address you want to write from, then publish
        the first post.
      </p>
    )}
    <p>A post can be free, or cost a few cents. Readers pay with Nano or USDC, without a subscription.</p>
    <p>
      <a class="button" href="/studio">
        Write the first post
      </a>
    </p>
  </section>
)

const NoResults = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <p class="empty">{isFiltered ? 'No results. Try fewer words or filters.' : 'Nothing is on this page.'}</p>
)
