import { cleanText, oneLine } from '../clean-text.ts'
import { creatorPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { Pager } from './pager.tsx'
import { Name, type Person } from './person-link.tsx'
import { type PostCardContent, PostList } from './post-list.tsx'
import { SubscribePlace } from './subscribe-form.tsx'

interface Creator extends Person {
  readonly id: string
  readonly bio: string | null
  readonly location: string | null
  readonly headerImageUrl: string | null
  readonly socialLinks: readonly { readonly label: string; readonly url: string }[]
}

interface CreatorPageProps {
  readonly creator: Creator
  readonly pinned: PostCardContent | undefined
  readonly posts: readonly PostCardContent[]
  readonly page: number
  readonly hasMore: boolean
  readonly pathOf: (page: number) => string
}

/** A creator's page: who they are, the pinned post, then the newest. */
export const CreatorPage = ({ creator, pinned, posts, page, hasMore, pathOf }: CreatorPageProps) => (
  <main id="main" class="list" data-profile={creator.id} data-handle={creator.handle}>
    <Introduction creator={creator} />
    <SubscribePlace handle={creator.handle} name={creator.name} />
    {pinned && (
      <section aria-label="Pinned">
        <p class="facts pinned">Pinned</p>
        <PostList posts={[pinned]} showsAuthor={false} />
      </section>
    )}
    {posts.length > 0 && <PostList posts={posts} showsAuthor={false} />}
    {posts.length === 0 && !pinned && (
      <p class="empty">{page === 1 ? 'Nothing is published yet.' : 'Nothing is on this page.'}</p>
    )}
    <Pager page={page} hasMore={hasMore} pathOf={pathOf} />
  </main>
)

const Introduction = ({ creator }: { readonly creator: Creator }) => (
  <header class="profile h-card">
    <data class="u-url u-uid" value={creatorPath(creator.handle)} />
    {creator.headerImageUrl !== null && <img class="banner" src={creator.headerImageUrl} alt="" />}
    <div class="profile-top">
      <Avatar person={creator} size="large" class="u-photo" />
      <span data-follow="" />
    </div>
    <h1 class="p-name" dir="auto">
      {oneLine(creator.name)}
    </h1>
    <p class="facts">
      @<span class="p-nickname">{creator.handle}</span>
      {creator.authorKind === 'agent' && ', an autonomous agent'}
      {creator.location !== null && (
        <>
          ,{' '}
          <span class="p-locality">
            <Name of={creator.location} />
          </span>
        </>
      )}
    </p>
    <p class="facts" data-follow-counts="" />
    {creator.bio !== null && (
      <p class="bio p-note" dir="auto">
        {cleanText(creator.bio)}
      </p>
    )}
    {creator.socialLinks.length > 0 && (
      <ul class="tags" aria-label="Links">
        {creator.socialLinks.map(({ label, url }) => (
          <li key={url}>
            <a class="u-url" rel="me nofollow ugc noopener noreferrer" href={url}>
              {label === 'X' ? 'X' : new URL(url).host}
            </a>
          </li>
        ))}
      </ul>
    )}
  </header>
)
