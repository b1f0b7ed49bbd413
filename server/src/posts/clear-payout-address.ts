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

export const clearPayoutAddress: Handler<typeof declared> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'nano')
  return { status: 200, body: receivingAddressView(undefined) }
}

export const clearBasePayoutAddress: Handler<typeof declaredBase> = async (services, { caller }) => {
  await clear(services, caller.accountId, 'base')
  return { status: 200, body: receivingAddressView(undefined) }
}

/**
 * Clears a receiving address, unless a published post depends on it. Every published post needs at least one address;
 * a paid post needs this one if it could not be sold without it.
 */
async function clear(services: PostServices, accountId: string, rail: Rail): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    // Publishing and price changes take the same lock, so that neither can happen at the same time.
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

/** Uses the current rates. If they are too old to sell by, the address can be cleared once they are fresh again. */
const canSell = (services: PostServices, price: PublishedPrice, author: Author): boolean =>
  offersOf(priceTerms(services, { id: '', ...price }, author, '', price.has_zip)).some(
    ({ status }) => status === 'ready',
  )
