import { listRelatedPosts } from '@pennypost/contract/discovery'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'

/** Posts to read next. They go below everything else, so that nothing moves under the reader. */
export async function relatedPosts(postId: string): Promise<HTMLElement | undefined> {
  const { data } = await callApi(listRelatedPosts, { params: { postId }, query: { limit: '3' } })
  if (data.length === 0) return undefined
  return h(
    'section',
    { class: 'related', 'aria-labelledby': 'related-title' },
    h('h2', { id: 'related-title' }, 'Read next'),
    h(
      'ol',
      { class: 'posts' },
      data.map(({ id, title, description, freePreview, effectivePrice, priceCurrency }) =>
        h(
          'li',
          { 'data-item': true },
          h('h3', {}, h('a', { href: `/posts/${id}`, dir: 'auto' }, title)),
          h('p', { class: 'preview', dir: 'auto' }, description || freePreview),
          h(
            'p',
            { class: 'facts' },
            priceCurrency === null || effectivePrice.raw === '0' ? 'Free' : `${effectivePrice.xno ?? '?'} XNO`,
          ),
        ),
      ),
    ),
  )
}
