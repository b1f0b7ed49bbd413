import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { htmlPage, pageEndpoint } from './page-endpoint.ts'
import { postPageNotFound } from './public-pages.ts'
import { queryInteger, Uuid } from './schemas.ts'

// Posts on other sites: a small page for a frame, and oEmbed, by which other sites find it.

const size = queryInteger({ min: 1, max: 100_000, default: 100_000 })

export const getOEmbed = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  tag: 'For machines',
  errors: 'problem',
  path: '/oembed',
  summary: 'Get how to embed a post (oEmbed 1.0)',
  description:
    'For the URL of a post on this site, in any of its spellings. The reply has a frame with the title, the preview and the price of the post. It contains nothing that is for sale.',
  request: {
    query: z.object({
      url: z.string().min(1).max(2_000),
      format: z.enum(['json', 'xml']).default('json'),
      maxwidth: size,
      maxheight: size,
    }),
  },
  replies: { 200: raw('application/json; charset=utf-8', 'How to embed the post.', ['text/xml']) },
  refusals: [postPageNotFound],
})

export const showEmbed = endpoint({
  fromReplica: 'always',
  ...pageEndpoint,
  path: '/embed/posts/{postId}',
  summary: 'Show a post in a frame of another site',
  description: 'The title, the preview, the author and the price. It has no script, and any site may frame it.',
  request: { params: z.object({ postId: Uuid }) },
  replies: { 200: htmlPage('A small page.') },
  refusals: [postPageNotFound],
})
