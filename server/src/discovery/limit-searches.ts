import { searches } from '@pennypost/contract/discovery'
import { enforceLimitOfIp, type LimitParts } from '../platform/limits/enforce-limit.ts'

/** The part of a query that the limit depends on. */
interface Query {
  readonly q?: string | undefined
  readonly max_price_raw?: bigint | string | undefined
  readonly max_amount_atomic?: bigint | string | undefined
}

/**
 * Limits what costs most: words, and highest prices, because each of them is a query of its own that is counted and sorted for nobody
 * else. Other filters are few, and their lists are cached.
 */
export async function limitSearches(parts: LimitParts, query: Query, ip: string): Promise<void> {
  if (query.q || query.max_price_raw || query.max_amount_atomic) await enforceLimitOfIp(parts, searches, ip)
}
