import type { PostSummary, PublicAuthor } from '@pennypost/contract/discovery'
import { accessUrl, contentUrl, type PricingParts, priceRaw, priceTerms, tagView } from '../posts/post-view.ts'
import { effectivePrice, offersOf } from '../posts/pricing.ts'
import { publicAttachment } from '../uploads/attachment-view.ts'
import { revisionText } from '../uploads/revision.ts'
import type { PublicPostRow } from './public-post-store.ts'

/** A Post as lists show it. */
export function postSummary(parts: PricingParts, post: PublicPostRow, origin: string): PostSummary {
  const terms = priceTerms(parts, post, post, origin, post.has_zip)
  const paymentOffers = offersOf(terms)
  return {
    id: post.id,
    title: post.title,
    description: post.description,
    freePreview: post.free_text,
    effectivePrice: effectivePrice(terms),
    priceRaw: priceRaw(post),
    priceCurrency: post.price_currency,
    priceAtomic: post.price_atomic,
    acceptedRails: paymentOffers.filter(({ status }) => status === 'ready').map(({ network }) => network),
    paymentOffers,
    updatedAt: revisionText(BigInt(post.updated_us)),
    language: post.language,
    creation: post.creation_method && {
      method: post.creation_method,
      details: post.creation_details,
      attested: post.creation_attested,
    },
    attachments: post.attachments.map(publicAttachment),
    contentUrl: contentUrl(origin, post.id),
    accessUrl: accessUrl(origin, post.id),
    tags: post.tags.map((tag) => tagView(origin, { id: post.account_id, handle: post.handle }, tag)),
  }
}

interface AuthorRow {
  readonly account_id: string
  readonly handle: string
  readonly avatar_url: string | null
  readonly author_kind: 'human' | 'agent'
}

export const authorView = (row: AuthorRow, name: string, origin: string): PublicAuthor => ({
  id: row.account_id,
  handle: row.handle,
  name,
  avatarUrl: row.avatar_url && origin + row.avatar_url,
  authorKind: row.author_kind,
})
