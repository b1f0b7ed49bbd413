import { oneLine, truncate } from '../clean-text.ts'
import { postPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { type Person, PersonLink } from './person-link.tsx'
import { TagList } from './tag-list.tsx'
import { Time } from './time.tsx'

/** A post in a list. */
export interface PostCardContent {
  readonly id: string
  readonly title: string
  readonly description: string
  /** The beginning of the text, shown if there is no description. */
  readonly freePreview: string
  readonly language: string | null
  /** The author's own price, such as `0.25 XNO`; undefined for a free post. */
  readonly price: string | undefined
  readonly hasFiles: boolean
  /** How it was made, in words. */
  readonly disclosure?: string | undefined
  /** Lists of one author's posts, and the posts to read next, have none. */
  readonly author?: Person
  readonly publishedAt?: string
  readonly tags?: readonly { readonly name: string; readonly slug: string }[]
}

const maxPreviewLength = 280

interface PostListProps {
  readonly posts: readonly PostCardContent[]
  /** One below the heading of the list. */
  readonly heading?: 'h2' | 'h3'
}

export const PostList = ({ posts, heading = 'h2' }: PostListProps) => (
  <ol class="posts">
    {posts.map((post) => (
      <PostCard key={post.id} post={post} heading={heading} />
    ))}
  </ol>
)

interface PostCardProps {
  readonly post: PostCardContent
  readonly heading: 'h2' | 'h3'
}

const PostCard = ({ post, heading: Heading }: PostCardProps) => (
  <li data-item="">
    <article lang={post.language ?? 'und'}>
      <Heading>
        <a href={postPath(post.id)} dir="auto">
          {oneLine(post.title)}
        </a>
      </Heading>
      <p class="preview" dir="auto">
        {truncate(previewText(post), maxPreviewLength)}
      </p>
      <p class="facts" lang="en">
        {post.author && <Avatar person={post.author} />}
        {post.author && <PersonLink person={post.author} rel="author" />}
        {post.author && ', '}
        {post.publishedAt && <Time at={post.publishedAt} />}{' '}
        <b class={post.price === undefined ? 'price free' : 'price'}>{post.price ?? 'Free'}</b>
        {post.hasFiles && (
          <>
            {' '}
            <span class="badge">ZIP</span>
          </>
        )}
      </p>
      {post.disclosure !== undefined && (
        <p class="facts made" lang="en">
          {post.disclosure}
        </p>
      )}
      {post.author && post.tags && <TagList handle={post.author.handle} tags={post.tags} />}
    </article>
  </li>
)

/** A preview without markup: the description, or the beginning of the post. */
export const previewText = ({ description, freePreview }: Pick<PostCardContent, 'description' | 'freePreview'>) =>
  oneLine(description === '' ? freePreview : description)
