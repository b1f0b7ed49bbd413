import { type Asset, amountOf } from '@pennypost/contract/money'
import type { Post } from '@pennypost/contract/posts'
import { publicAttachment } from '../uploads/attachment-view.ts'
import type { PostUploads } from '../uploads/post-uploads.ts'
import { formatRevision } from '../uploads/revision.ts'
import type { Author } from './author-store.ts'
import type { PostFigures } from './post-figures.ts'
import { postBlockers } from './post-rules.ts'
import type { PostRow } from './post-store.ts'
import type { NameWriter } from './post-writers.ts'
import { effectivePrice, offersOf, type PriceTerms } from './pricing.ts'
import type { PostServices } from './services.ts'
import type { TagRow } from './tag-store.ts'

export type PricingParts = Pick<PostServices, 'clock' | 'config' | 'rates' | 'base' | 'nano'>

export const contentUrl = (origin: string, postId: string): string => `${origin}/posts/${postId}`
export const accessUrl = (origin: string, postId: string): string => `${origin}/api/posts/${postId}/access`

/**
 * Which rails take payments. In production the USDC rail is off until a chain or a facilitator is configured. The Nano rail
 * is off while its nodes are on another network.
 */
export const railsOn = ({ base, nano }: Pick<PostServices, 'base' | 'nano'>): Readonly<Record<Asset, boolean>> => ({
  XNO: nano.isOn(),
  USDC: base !== undefined,
})

export const tagView = (origin: string, author: Pick<Author, 'id' | 'handle'>, { id, name, slug }: TagRow) => ({
  id,
  profileId: author.id,
  name,
  collectionUrl: `${origin}/@${author.handle}/tags/${encodeURIComponent(slug)}`,
})

export function priceTerms(
  { clock, config, rates, base, nano }: PricingParts,
  post: Pick<PostRow, 'id' | 'has_paywall' | 'price_currency' | 'price_atomic'>,
  author: Pick<Author, 'receives_nano' | 'receives_base'>,
  origin: string,
  hasZip: boolean,
): PriceTerms {
  return {
    hasPaywall: post.has_paywall,
    currency: post.price_currency,
    atomic: post.price_currency && post.price_atomic ? amountOf(post.price_currency, post.price_atomic) : null,
    hasZip,
    receives: { XNO: author.receives_nano, USDC: author.receives_base },
    railsOn: railsOn({ base, nano }),
    rates: rates.current(),
    commissionBps: BigInt(config.commissionBps),
    now: clock.now(),
    accessUrl: accessUrl(origin, post.id),
  }
}

/** A post as its author sees it. */
export function postView(
  parts: PricingParts,
  post: PostRow,
  author: Author,
  tags: readonly TagRow[],
  uploads: PostUploads,
  figures: Omit<PostFigures, 'id'>,
  writerOf: NameWriter,
  origin: string,
): Post {
  const terms = priceTerms(parts, post, author, origin, uploads.active_count > 0)
  const offers = offersOf(terms)
  return {
    id: post.id,
    status: post.status,
    slug: post.slug,
    title: post.title,
    description: post.description,
    freeContentMarkdown: post.free_markdown,
    paidContentMarkdown: post.paid_markdown,
    enablePaywall: post.has_paywall,
    priceCurrency: post.price_currency,
    priceAtomic: post.price_atomic,
    priceRaw: priceRaw(post),
    effectivePrice: effectivePrice(terms),
    paymentOffers: offers,
    category: post.category,
    language: post.language,
    creationMethod: post.creation_method,
    creationDetails: post.creation_details,
    creationAttested: post.creation_attested,
    tags: tags.map((tag) => tagView(origin, author, tag)),
    commentsEnabled: post.comments_enabled,
    agentCommentsEnabled: post.agent_comments_enabled,
    searchPaidContent: post.search_paid_content,
    math: post.math,
    canonicalUrl: post.canonical_url,
    ogImageUrl: uploads.og_path && origin + uploads.og_path,
    attachments: uploads.attachments.map(publicAttachment),
    createdAt: post.created_at.toISOString(),
    updatedAt: formatRevision(BigInt(post.updated_us)),
    writtenByKey: writerOf(post),
    publishedAt: post.published_at?.toISOString() ?? null,
    importedAt: post.imported_at?.toISOString() ?? null,
    scheduledFor: post.scheduled_for?.toISOString() ?? null,
    withdrawnAt: post.withdrawn_at?.toISOString() ?? null,
    contentUrl: contentUrl(origin, post.id),
    accessUrl: accessUrl(origin, post.id),
    figures: {
      readers: figures.reader_count,
      paywallViews: figures.paywall_views,
      sales: figures.sales_count,
      comments: figures.comment_count,
    },
    blockers: post.status === 'published' ? [] : postBlockers(post, author, offers, uploads),
  }
}

/** The wire field `priceRaw`: "0" for a free post, null for a price in USDC. */
export function priceRaw(post: Pick<PostRow, 'has_paywall' | 'price_currency' | 'price_atomic'>): string | null {
  if (!post.has_paywall) return '0'
  return post.price_currency === 'XNO' ? post.price_atomic : null
}
