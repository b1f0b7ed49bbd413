import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'

/** The `Cache-Control` header of an endpoint's replies. Refusals are never cached. */
export function cacheControl(endpoint: Endpoint): string {
  const rule =
    endpoint.cache ?? (credentialsOf(endpoint).every((credential) => credential === 'none') ? 'no-store' : 'private')
  if (rule === 'private') return 'private, no-store'
  if (rule === 'no-store') return 'no-store'
  if (rule === 'immutable') return 'public, max-age=31536000, immutable'
  const stale = rule.staleSeconds === undefined ? '' : `, stale-while-revalidate=${rule.staleSeconds}`
  return `public, max-age=${rule.seconds}${rule.mustRevalidate ? ', must-revalidate' : ''}${stale}`
}
