import { oneLine } from '../clean-text.ts'
import { catalogPath, creatorPath, type Filters, tagPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { CatalogForm } from './catalog-form.tsx'
import { CatalogTabs } from './catalog-tabs.tsx'
import { Pager } from './pager.tsx'
import { Name, type Person } from './person-link.tsx'
import { type PostCardContent, PostList } from './post-list.tsx'

/** How far a new site is set up. */
export interface Setup {
  readonly hasAdmin: boolean
  readonly hasName: boolean
}

interface Tag {
  readonly name: string
  readonly slug: string
}

interface CatalogPageProps {
  /** How the operator describes the site: in one line, and in a few sentences. */
  readonly tagline: string
  readonly description: string
  /** False if nobody may sign up. */
  readonly canSignUp: boolean
  /** How far a new site is set up. Only needed for a site without posts. */
  readonly setup: Setup
  /** The authors and tags that match the words of a search. */
  readonly people: readonly Pick<Person, 'handle' | 'name' | 'avatarUrl'>[]
  readonly tags: readonly Tag[]
  readonly filters: Filters
  readonly posts: readonly PostCardContent[]
  readonly page: number
  readonly hasMore: boolean
}

/** The home page: all posts, or those that match a search. */
export function CatalogPage(props: CatalogPageProps) {
  const { tagline, description, canSignUp, filters, posts, page, hasMore } = props
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
        <Welcome canSignUp={canSignUp} setup={props.setup} />
      ) : (
        <>
          <CatalogForm filters={filters} />
          <CatalogTabs filters={filters} isFiltered={isFiltered} />
          <OtherResults people={props.people} tags={props.tags} />
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

/** Introduces the site. Everyone gets the same page, so a style hides this from people who are signed in. */
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

/** The home page of a site without posts: for readers, for the person who installed it, and for its administrator. */
const Welcome = ({ canSignUp, setup }: Pick<CatalogPageProps, 'canSignUp' | 'setup'>) => (
  <section class="welcome" aria-labelledby="welcome-title">
    <h2 id="welcome-title">No posts yet</h2>
    <p>
      {canSignUp ? 'Be the first to publish. ' : 'Please come back later. '}
      Posts here are free, or cost a few cents that readers pay with Nano or USDC, without a subscription.
    </p>
    {canSignUp && (
      <p class="row">
        <a class="button" href="/studio">
          Write the first post
        </a>
        <a class="button quiet-button guests-only" href="/join">
          Sign up
        </a>
      </p>
    )}
    {!setup.hasAdmin && (
      <p class="quiet">
        Is this your new site? Open the link that the service printed when it started. It makes you the administrator.
      </p>
    )}
    <div class="admins-only">
      <h3>Set up your site</h3>
      <ol class="checklist">
        <li class={setup.hasName ? 'done' : ''}>
          <a href="/admin/site">Choose a name, a logo and who may sign up</a>
        </li>
        <li>
          <a href="/studio">Write the first post</a>
        </li>
      </ol>
    </div>
  </section>
)

/** Authors and tags that a search found. */
const OtherResults = ({ people, tags }: Pick<CatalogPageProps, 'people' | 'tags'>) =>
  (people.length > 0 || tags.length > 0) && (
    <div class="other-results">
      {people.length > 0 && (
        <ul aria-label="Authors">
          {people.map((person) => (
            <li key={person.handle}>
              <Avatar person={person} />
              <a href={creatorPath(person.handle)}>
                <Name of={person.name} />
              </a>
            </li>
          ))}
        </ul>
      )}
      {tags.length > 0 && (
        <ul class="tags" aria-label="Tags">
          {tags.map(({ name, slug }) => (
            <li key={slug}>
              <a href={tagPath(slug)}>
                <Name of={name} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )

const NoResults = ({ isFiltered }: { readonly isFiltered: boolean }) => (
  <p class="empty">{isFiltered ? 'No results. Try fewer words or filters.' : 'Nothing is on this page.'}</p>
)
