import { raw } from './body.ts'

/**
 * The declarations that all pages share. Pages are cached for half a minute, then revalidated cheaply: an unpublished post
 * disappears from caches within 30 seconds.
 */
export const pageEndpoint = {
  method: 'GET',
  tag: 'Pages',
  credential: 'none',
  errors: 'page',
  cache: { seconds: 30, mustRevalidate: true },
  conditional: true,
  compressed: true,
} as const

export const htmlPage = (description: string) => raw('text/html; charset=utf-8', description)
