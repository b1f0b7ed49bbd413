import { listRelatedPosts, type PlaceInSeries, type PostSummary } from '@pennypost/contract/discovery'
import { callApi } from '../call-api.ts'
import { oneLine } from '../clean-text.ts'
import { formatPrice } from '../components/price.tsx'
import { getElement } from '../get-element.ts'
import { render } from '../jsx/render.ts'
import { pathOf } from '../path-of.ts'

/**
 * Shows what to read next, and the neighbours in a series. The page keeps the space of three posts free, so that the
 * comments do not move; neighbours take that of two.
 */
export async function showRelatedPosts(postId: string): Promise<void> {
  const section = getElement('[data-related]')
  // Without any, or if they cannot be loaded, the page does not need the space.
  const { data, series } = await callApi(listRelatedPosts, { params: { postId }, query: { limit: '3' } }).catch(() => ({
    data: [],
    series: null,
  }))
  if (data.length === 0 && !series) section.remove()
  else render(<RelatedPosts posts={series ? data.slice(0, 1) : data} series={series} />, section)
}

function SeriesNavigation({ series: { title, position, count, previous, next } }: { readonly series: PlaceInSeries }) {
  return (
    <nav class="series-nav" aria-label={`Series: ${oneLine(title)}`}>
      <p class="facts">
        Part {position} of {count} in <b dir="auto">{oneLine(title)}</b>
      </p>
      {previous && (
        <p>
          Previous:{' '}
          <a rel="prev" dir="auto" href={pathOf(previous.pageUrl)}>
            {oneLine(previous.title)}
          </a>
        </p>
      )}
      {next && (
        <p>
          Next:{' '}
          <a rel="next" dir="auto" href={pathOf(next.pageUrl)}>
            {oneLine(next.title)}
          </a>
        </p>
      )}
    </nav>
  )
}

interface RelatedPostsProps {
  readonly posts: readonly PostSummary[]
  readonly series: PlaceInSeries | null
}

const RelatedPosts = ({ posts, series }: RelatedPostsProps) => (
  <>
    <h2 id="related-title">Read next</h2>
    {series && <SeriesNavigation series={series} />}
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
