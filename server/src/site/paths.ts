// Paths of the site, the same on every origin.

export const creatorPath = (handle: string): string => `/@${handle}`

export const collectionPath = (handle: string, slug: string): string => `/@${handle}/tags/${encodeURIComponent(slug)}`

/** A redirect. It is cached only briefly, because a handle can change back to its old spelling. */
export const redirectTo = (location: string) => ({ status: 308, headers: { location } }) as const
