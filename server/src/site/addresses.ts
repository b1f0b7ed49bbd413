/** The addresses of the site, as paths: they are the same on every origin. */
export const creatorPath = (handle: string): string => `/@${handle}`

export const collectionPath = (handle: string, slug: string): string => `/@${handle}/tags/${encodeURIComponent(slug)}`

/** Answers that something is elsewhere. Never kept for long: a handle can change its spelling back. */
export const movedTo = (location: string) => ({ status: 308, headers: { location } }) as const
