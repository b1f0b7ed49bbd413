import type { PostSummary, PublicAuthor } from '@pennypost/contract/discovery'
import type { Offer } from '@pennypost/contract/posts'
import { canonicalPostPath } from '@pennypost/site/paths'
import { LRUCache } from 'lru-cache'
import { personView } from '../accounts/person-view.ts'
import type { ListedPostRow, PublicPostRow } from '../posts/catalog/public-post.ts'
import { accessUrl, contentUrl, type PricingParts, priceRaw, priceTerms, tagView } from '../posts/post-view.ts'
import { effectivePrice, offersOf, quoteUrl } from '../posts/pricing.ts'
import { areFresh, type Rates } from '../rails/rates.ts'
import { publicAttachment } from '../uploads/attachment-view.ts'
import { formatRevision } from '../uploads/revision.ts'
import { readingMinutes } from './reading-minutes.ts'

interface Price {
  readonly effectivePrice: PostSummary['effectivePrice']
  readonly paymentOffers: Offer[]
}

/** Prices computed from one pair of rates. Many posts have the same price, and exact fractions are slow to compute. */
const pricesByRates = new WeakMap<Rates, LRUCache<string, Price>>()
const maxPrices = 5_000

/** The price of a post. The offers have no URLs, which depend on the post. */
export function priceOf(parts: PricingParts, post: PublicPostRow): Price {
  const terms = priceTerms(parts, post, post, '', post.has_zip)
  const make = (): Price => ({ effectivePrice: effectivePrice(terms), paymentOffers: offersOf(terms) })
  if (!terms.rates) return make()
  const isFresh = areFresh(terms.rates, terms.now)
  const { receives, hasZip, hasPaywall, currency, atomic, railsOn } = terms
  const key = `${hasPaywall} ${currency} ${atomic} ${receives.XNO} ${receives.USDC} ${hasZip} ${isFresh} ${railsOn.XNO} ${railsOn.USDC}`
  let prices = pricesByRates.get(terms.rates)
  if (!prices) {
    prices = new LRUCache({ max: maxPrices })
    pricesByRates.set(terms.rates, prices)
  }
  const known = prices.get(key)
  if (known) return known
  const price = make()
  prices.set(key, price)
  return price
}

/** A post as lists show it. */
export function postSummary(parts: PricingParts, post: ListedPostRow, origin: string): PostSummary {
  const price = priceOf(parts, post)
  const access = accessUrl(origin, post.id)
  const paymentOffers = price.paymentOffers.map((offer) => ({ ...offer, quoteUrl: quoteUrl(access, offer.asset) }))
  return {
    id: post.id,
    title: post.title,
    description: post.description,
    freePreview: post.free_text,
    effectivePrice: price.effectivePrice,
    priceRaw: priceRaw(post),
    // Without a paywall the post is free, even if its author has saved a price.
    priceCurrency: post.has_paywall ? post.price_currency : null,
    priceAtomic: post.has_paywall ? post.price_atomic : null,
    acceptedRails: paymentOffers.filter(({ status }) => status === 'ready').map(({ network }) => network),
    paymentOffers,
    updatedAt: formatRevision(BigInt(post.updated_us)),
    language: post.language,
    creation: post.creation_method && {
      method: post.creation_method,
      details: post.creation_details,
      attested: post.creation_attested,
    },
    attachments: post.attachments.map(publicAttachment),
    pageUrl: origin + canonicalPostPath(post),
    contentUrl: contentUrl(origin, post.id),
    accessUrl: access,
    tags: post.tags.map((tag) => tagView(origin, { id: post.account_id, handle: post.handle }, tag)),
    readingMinutes: readingMinutes(post.words),
    commentCount: post.comment_count,
    ogImageUrl: post.og_path && origin + post.og_path,
  }
}

interface AuthorRow {
  readonly account_id: string
  readonly handle: string
  readonly avatar_url: string | null
  readonly author_kind: 'human' | 'agent'
}

export const authorView = (row: AuthorRow, name: string, origin: string): PublicAuthor =>
  personView({ ...row, person_id: row.account_id, name }, origin)
