import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { htmlPage, pageEndpoint } from './page-endpoint.ts'
import { refusal } from './refusal.ts'

// The guides of the documentation, and the search index of guides and API reference.

export const guideNotFound = refusal('guide-not-found', 404, 'There is no guide at this address.')

const params = z.object({ guide: z.string().max(100) })

export const showGuide = endpoint({
  ...pageEndpoint,
  path: '/docs/{guide}',
  summary: 'Show a guide',
  request: { params },
  replies: { 200: htmlPage('The guide, with this service in its samples.') },
  refusals: [guideNotFound],
  cache: { seconds: 300 },
})

export const getGuideMarkdown = endpoint({
  ...pageEndpoint,
  errors: 'problem',
  path: '/docs/{guide}.md',
  summary: 'Get a guide as Markdown',
  request: { params },
  replies: { 200: raw('text/markdown; charset=utf-8', 'The guide, with this service in its samples.') },
  refusals: [guideNotFound],
  cache: { seconds: 300 },
})

/** One place in the documentation that can be found: a section of a guide, or an operation. */
export interface DocsEntry {
  readonly kind: 'guide' | 'operation'
  readonly title: string
  /** The guide of a section; method and path of an operation. */
  readonly context: string
  readonly url: string
  /** Further text that the search covers. */
  readonly text: string
}

export const getDocsEntries = endpoint({
  ...pageEndpoint,
  errors: 'problem',
  path: '/docs/entries.json',
  summary: 'Get the search index of the documentation',
  replies: { 200: raw('application/json; charset=utf-8', 'Sections of guides, and operations.') },
  cache: { seconds: 300 },
})
