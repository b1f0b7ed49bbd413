// Paths of the site, the same on every origin.

export const creatorPath = (handle: string): string => `/@${handle}`

export const collectionPath = (handle: string, slug: string): string => `/@${handle}/tags/${encodeURIComponent(slug)}`

export const postPath = (id: string): string => `/posts/${id}`

/** The posts of all creators with a tag. */
export const tagPath = (slug: string): string => `/tags/${encodeURIComponent(slug)}`
