import type { PostSummary } from '@pennypost/contract/discovery'
import type { SiteSettings } from '@pennypost/contract/site-settings'
import { oneLine, truncate } from '@pennypost/site/clean-text'
import { creatorPath } from '@pennypost/site/paths'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import type { LinkCard } from './link-card.ts'
import { categoryName, disclosureText, previewText, updatedAt } from './post-text.ts'

/** A post as schema.org JSON-LD, for search engines. */
export function postJsonLd(
  post: PublicPostDetail,
  { contentUrl, pageUrl }: PostSummary,
  origin: string,
  site: SiteSettings,
  card: LinkCard,
): object {
  const isFree = !post.has_paywall
  return {
    '@context': 'https://schema.org',
    '@type': 'Article',
    '@id': contentUrl,
    url: pageUrl,
    mainEntityOfPage: pageUrl,
    headline: oneLine(post.title),
    description: truncate(previewText(post), 300),
    datePublished: post.published_at.toISOString(),
    dateModified: updatedAt(post).toISOString(),
    inLanguage: post.language ?? undefined,
    // Search engines accept a person or an organization as an author, and nothing else.
    author: {
      ...(post.author_kind === 'agent'
        ? { '@type': 'Organization', additionalType: 'https://schema.org/SoftwareApplication' }
        : { '@type': 'Person' }),
      name: oneLine(post.name),
      url: origin + creatorPath(post.handle),
    },
    image: [card.path, ...(post.og_path === null ? [] : [post.og_path])].map((path) => origin + path),
    publisher: {
      '@type': 'Organization',
      name: site.name,
      url: origin,
      logo: { '@type': 'ImageObject', url: new URL(site.logoUrl ?? site.iconUrl ?? '/favicon.svg', origin).href },
    },
    articleSection: categoryName(post.category),
    keywords: post.tags.map(({ name }) => oneLine(name)),
    // The author's AI disclosure, as an IPTC term and as text.
    digitalSourceType: disclosureOf(post.creation_method)?.sourceType,
    creditText: disclosureText(post),
    isAccessibleForFree: isFree,
    ...(!isFree && {
      hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.paywall' },
    }),
  }
}
