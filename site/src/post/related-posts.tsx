import { listRelatedPosts, type PostSummary } from '@pennypost/contract/discovery'
import { callApi } from '../call-api.ts'
import { oneLine } from '../clean-text.ts'
import { formatPrice } from '../components/price.tsx'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { pathOf } from '../path-of.ts'

/** Shows what to read next. The page keeps the space of three posts free, so that the comments do not move. */
export async function showRelatedPosts(postId: string): Promise<void> {
  const section = getElement('[data-related]')
  // Without any, or if they cannot be loaded, the page does not need the space.
  const posts = await callApi(listRelatedPosts, { params: { postId }, query: { limit: '3' } }).then(
    ({ data }) => data,
    () => [],
  )
  if (posts.length === 0) section.remove()
  else render(<RelatedPosts posts={posts} />, section)
}

const RelatedPosts = ({ posts }: { readonly posts: readonly PostSummary[] }) => (
  <>
    <h2 id="related-title">Read next</h2>
    <ol>
      {posts.map((post) => (
        <li key={post.id} data-item="" lang={post.language ?? 'und'} dir="auto">
          <a href={pathOf(post.pageUrl)}>{oneLine(post.title)}</a>
          <p class="facts" lang="en">
            {post.readingMinutes !== null && `${post.readingMinutes} min read, `}
            {formatPrice(post) ?? 'Free'}
          </p>
        </li>
      ))}
    </ol>
  </>
)
