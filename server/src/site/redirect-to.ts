/** A redirect. It is cached only briefly, because a handle can change back to its old spelling. */
export const redirectTo = (location: string) => ({ status: 308, headers: { location } }) as const
