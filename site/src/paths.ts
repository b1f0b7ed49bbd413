// Paths of the site, the same on every origin.

export const creatorPath = (handle: string): string => `/@${handle}`

export const collectionPath = (handle: string, slug: string): string => `/@${handle}/tags/${encodeURIComponent(slug)}`

export const postPath = (id: string): string => `/posts/${id}`
