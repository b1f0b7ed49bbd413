import { oneLine, truncate } from '../clean-text.ts'
import { plural } from '../format.ts'
import type { Children } from '../jsx/markup.ts'
import { pathOf } from '../path-of.ts'
import { thumbnailPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { type Person, PersonLink } from './person-link.tsx'
import { TagList } from './tag-list.tsx'
import { Time } from './time.tsx'

/** A post in a list. */
export interface PostCardContent {
  readonly id: string
  readonly path: string
  readonly title: string
  readonly description: string
  /** The beginning of the text, shown if there is no description. */
  readonly freePreview: string
  readonly language: string | null
  /** The price, in dollars first, such as `$0.31 · 0.25 XNO`; undefined for a free post. */
  readonly price: string | undefined
  readonly hasFiles: boolean
  /** How AI was used for it, such as `AI-assisted`. */
  readonly aiBadge?: string | undefined
  /** Missing in the summaries of the API. */
  readonly author?: Person
  readonly publishedAt?: string
  readonly tags?: readonly { readonly name: string; readonly slug: string }[]
  /** Null if it is not known yet. */
  readonly readingMinutes: number | null
  readonly commentCount: number
  /** The cover: a path, or a URL of this service. */
  readonly ogImageUrl: string | null
}

const maxPreviewLength = 280

interface PostListProps {
  readonly posts: readonly PostCardContent[]
  /** False for a list of one author's posts. */
  readonly showsAuthor?: boolean
  /** A button for each post. */
  readonly actionOf?: (post: PostCardContent) => Children
}

export const PostList = ({ posts, showsAuthor = true, actionOf }: PostListProps) => (
  <ol class="posts">
    {posts.map((post) => (
      <PostCard key={post.id} post={post} author={showsAuthor ? post.author : undefined} action={actionOf?.(post)} />
    ))}
  </ol>
)

interface PostCardProps {
  readonly post: PostCardContent
  readonly author: Person | undefined
  readonly action: Children
}

const PostCard = ({ post, author, action }: PostCardProps) => (
  <li data-item="">
    <article lang={post.language ?? 'und'} class={post.ogImageUrl === null ? undefined : 'with-thumbnail'}>
      <h2 dir="auto">
        <a href={post.path}>
          {oneLine(post.title)}
          {post.ogImageUrl !== null && (
            <img
              class="thumbnail"
              src={thumbnailPath(pathOf(post.ogImageUrl))}
              alt=""
              width={144}
              height={96}
              loading="lazy"
              decoding="async"
            />
          )}
        </a>
      </h2>
      <p class="preview" dir="auto">
        {truncate(previewText(post), maxPreviewLength)}
      </p>
      <p class="facts" lang="en">
        {(author || post.publishedAt) && (
          <span>
            {author && <Avatar person={author} />}
            {author && <PersonLink person={author} rel="author" />}
            {author && ', '}
            {post.publishedAt && <Time at={post.publishedAt} />}
          </span>
        )}
        {post.readingMinutes !== null && <span>{post.readingMinutes} min read</span>}
        {post.commentCount > 0 && <a href={`${post.path}#comments`}>{plural(post.commentCount, 'comment')}</a>}{' '}
        <b class={post.price === undefined ? 'price free' : 'price'}>{post.price ?? 'Free'}</b>
        {post.hasFiles && <Badge text="ZIP" />}
        {post.aiBadge !== undefined && <Badge text={post.aiBadge} />}
        {action}
      </p>
      {post.author && post.tags && <TagList handle={post.author.handle} tags={post.tags} />}
    </article>
  </li>
)

const Badge = ({ text }: { readonly text: string }) => (
  <>
    {' '}
    <span class="badge">{text}</span>
  </>
)

/** A preview without markup: the description, or the beginning of the post. */
export const previewText = ({ description, freePreview }: Pick<PostCardContent, 'description' | 'freePreview'>) =>
  oneLine(description === '' ? freePreview : description)
