import { listRelatedPosts } from '@pennypost/contract/discovery'
import { callApi } from '../call-api.ts'
import { PostList } from '../components/post-list.tsx'
import { formatPrice } from '../components/price.tsx'
import { getElement } from '../dom.ts'
import { render } from '../jsx/render.ts'
import { pathOf } from '../path-of.ts'

/** Shows posts to read next. They go below everything else, so that nothing moves under the reader. */
export async function showRelatedPosts(postId: string): Promise<void> {
  const { data } = await callApi(listRelatedPosts, { params: { postId }, query: { limit: '3' } })
  if (data.length === 0) return
  const section = document.createElement('section')
  section.className = 'related'
  section.setAttribute('aria-labelledby', 'related-title')
  getElement('main').append(section)
  const posts = data.map((post) => ({
    ...post,
    path: pathOf(post.pageUrl),
    price: formatPrice(post),
    hasFiles: post.attachments.length > 0,
    tags: [],
  }))
  render(
    <>
      <h2 id="related-title">Read next</h2>
      <PostList heading="h3" posts={posts} />
    </>,
    section,
  )
}
