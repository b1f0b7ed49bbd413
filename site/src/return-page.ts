/**
 * The page to return to after signing in, from the query of this page. Only pages of this site are allowed, so that
 * nobody can send people elsewhere with a link to our sign-in page. The result is a whole URL: as a path, `//host` would
 * be another site.
 */
export function returnPage(query: string, origin: string): string {
  const home = `${origin}/`
  const next = new URLSearchParams(query).get('next') ?? '/'
  const url = URL.canParse(next, origin) ? new URL(next, origin) : new URL(home)
  return url.href.startsWith(home) && !/^\/(sign-in|join)/.test(url.pathname) ? url.href : home
}
