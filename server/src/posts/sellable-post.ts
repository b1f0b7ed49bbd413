import type { Amount } from '@pennypost/contract/money'
import type { Offer } from '@pennypost/contract/posts'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import type { PostRow } from './post-store.ts'
import { type PricingParts, priceTerms } from './post-view.ts'
import { offersOf } from './pricing.ts'

/** A public post's price, and where its author is paid. */
interface SellablePost extends Pick<PostRow, 'id' | 'account_id' | 'has_paywall' | 'price_currency' | 'price_atomic'> {
  readonly nano_address: string | null
  readonly receives_base: boolean
  readonly has_zip: boolean
}

export async function findSellablePost(tx: Tx, postId: string): Promise<SellablePost | undefined> {
  const { rows } = await sql<SellablePost>`
    SELECT post.id, post.account_id, post.has_paywall, post.price_currency, post.price_atomic, nano.address AS nano_address,
      base.address IS NOT NULL AS receives_base, coalesce(uploads.active_count, 0) > 0 AS has_zip
    FROM posts post
    LEFT JOIN receiving_addresses nano ON nano.account_id = post.account_id AND nano.rail = 'nano'
    LEFT JOIN receiving_addresses base ON base.account_id = post.account_id AND base.rail = 'base'
    LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
    WHERE post.id = ${postId} AND post.status = 'published'`.execute(tx)
  return rows[0]
}

export function offersOfSellable(parts: PricingParts, post: SellablePost, origin: string): Offer[] {
  const author = { receives_nano: post.nano_address !== null, receives_base: post.receives_base }
  return offersOf(priceTerms(parts, post, author, origin, post.has_zip))
}

/** Whether a post can be bought with Nano now for no more than this amount. */
export async function isOfferedFor(
  parts: PricingParts,
  tx: Tx,
  postId: string,
  amount: Amount<'XNO'>,
): Promise<boolean> {
  const post = await findSellablePost(tx, postId)
  const offer = post && offersOfSellable(parts, post, '').find(({ asset }) => asset === 'XNO')
  return offer?.status === 'ready' && BigInt(offer.amountAtomic!) <= amount
}
