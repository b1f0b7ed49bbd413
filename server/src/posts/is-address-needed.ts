import type { Tx } from '../platform/database/database.ts'
import type { Rail } from '../profiles/receiving-address-store.ts'
import { type Author, findAuthor } from './author-store.ts'
import { hasPublishedPost, type PublishedPrice, pricesOfPublished } from './post-store.ts'
import { priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'
import type { PostServices } from './services.ts'

/**
 * Whether a published post depends on this payout address of its author. Every published post needs at least one
 * address; a paid post also needs any address without which it could not be sold.
 */
export async function isAddressNeeded(services: PostServices, tx: Tx, accountId: string, rail: Rail): Promise<boolean> {
  const before = await findAuthor(tx, accountId)
  const after = { ...before, [`receives_${rail}`]: false }
  const isLast = !after.receives_nano && !after.receives_base
  if (isLast && (await hasPublishedPost(tx, accountId))) return true
  const isSoldThroughIt = (price: PublishedPrice) =>
    canSell(services, price, before) && !canSell(services, price, after)
  return (await pricesOfPublished(tx, accountId)).some(isSoldThroughIt)
}

/** Uses the current rates. If only a stale rate prevents it, the address can be cleared once the rate is fresh again. */
const canSell = (services: PostServices, price: PublishedPrice, author: Author): boolean =>
  offersOf(priceTerms(services, { id: '', ...price }, author, '', price.has_zip)).some(
    ({ status }) => status === 'ready',
  )
