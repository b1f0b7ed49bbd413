import type { CatalogFilters } from '@pennypost/contract/public-pages'

// Paths of the site, the same on every origin.

export const creatorPath = (handle: string): string => `/@${handle}`

export const collectionPath = (handle: string, slug: string): string => `/@${handle}/tags/${encodeURIComponent(slug)}`

/** The permanent path of a post. */
export const postPath = (id: string): string => `/posts/${id}`

/** A post in a frame of another site. */
export const embedPath = (id: string): string => `/embed/posts/${id}`

interface PostAddress {
  readonly id: string
  readonly handle: string
  /** Empty if it is not known. */
  readonly slug: string
}

/** The canonical path of a published post. It changes with its title and its author's handle, and the old ones redirect. */
export const canonicalPostPath = ({ id, handle, slug }: PostAddress): string =>
  slug === '' ? postPath(id) : `/@${handle}/${encodeURIComponent(slug)}`

/**
 * The small copy of a cover, for lists.
 * @example thumbnailPath('/media/3ab8f06d.png') // '/thumbnails/3ab8f06d.webp'
 */
export const thumbnailPath = (coverPath: string): string =>
  coverPath.replace(/^\/media\/(.*)\.\w+$/, '/thumbnails/$1.webp')

/** The posts of all creators with a tag. */
export const tagPath = (slug: string): string => `/tags/${encodeURIComponent(slug)}`

/** The filters of the catalog, and its order. */
export type Filters = Omit<CatalogFilters, 'page'>

/** The path of a catalog page: the fields always in the same order, without those that have no value. */
export function catalogPath({ q, sort, ...others }: Partial<Filters>, page = 1): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries({ q, sort, ...others }))
    if (value !== undefined) search.append(name, value)
  if (page > 1) search.append('page', String(page))
  return search.size > 0 ? `/?${search}` : '/'
}
