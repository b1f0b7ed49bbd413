import { accessUrl } from '../posts/post-view.ts'
import { listPaidEntries } from './public-post-store.ts'
import type { DiscoveryServices } from './services.ts'

const maxResources = 250

/** The same document at both paths where directories look for it. */
export async function getX402Manifest(
  { pool, site }: Pick<DiscoveryServices, 'pool' | 'site'>,
  { origin }: { readonly origin: string },
) {
  const newest = await listPaidEntries(pool, { publishedAfter: undefined, place: undefined, limit: maxResources })
  return {
    status: 200,
    body: {
      version: 1,
      x402Version: 2,
      kind: 'resource-server',
      name: site.settings().name,
      resources: newest.map(({ post_id }) => accessUrl(origin, post_id)),
      catalog: `${origin}/.well-known/x402/posts`,
      openapi: `${origin}/openapi.json`,
    },
  } as const
}
