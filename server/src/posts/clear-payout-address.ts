import {
  type clearPayoutAddress as declared,
  type clearBasePayoutAddress as declaredBase,
  receivingAddressInUse,
} from '@pennypost/contract/profiles'
import { lockAccount } from '../accounts/account-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import { receivingAddressView } from '../profiles/profile-view.ts'
import { clearReceivingAddress, type Rail } from '../profiles/receiving-address-store.ts'
import { type Author, findAuthor } from './author-store.ts'
import { hasPublishedPost, type PublishedPrice, pricesOfPublished } from './post-store.ts'
import { priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'
import type { Handler, PostServices } from './services.ts'

// In this room, not with its sister that saves one: what an address is needed for is a question about Posts.

export const clearPayoutAddress: Handler<typeof declared> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'nano')
  return { status: 200, body: receivingAddressView(undefined) }
}

export const clearBasePayoutAddress: Handler<typeof declaredBase> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'base')
  return { status: 200, body: receivingAddressView(undefined) }
}

/**
 * Decisions §4: an address stays while a published Post depends on it. Any public Post needs one (§1); a paid one needs
 * the one it is sold through, where it could not be sold without.
 */
async function clear(services: PostServices, accountId: string, rail: Rail): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    // Publishing and changes of prices take the same lock, so that neither can overtake the other.
    await lockAccount(tx, accountId)
    const before = await findAuthor(tx, accountId)
    await clearReceivingAddress(tx, accountId, rail)
    const after = await findAuthor(tx, accountId)
    const isLast = !after.receives_nano && !after.receives_base
    if (isLast && (await hasPublishedPost(tx, accountId))) refuse(receivingAddressInUse)
    const isNeeded = (price: PublishedPrice) => canSell(services, price, before) && !canSell(services, price, after)
    if ((await pricesOfPublished(tx, accountId)).some(isNeeded)) refuse(receivingAddressInUse)
  })
}

/** Now: a rate that is too old to sell by will be fresh again, and the address can be cleared then. */
const canSell = (services: PostServices, price: PublishedPrice, author: Author): boolean =>
  offersOf(priceTerms(services, { id: '', ...price }, author, '', price.has_zip)).some(
    ({ status }) => status === 'ready',
  )
