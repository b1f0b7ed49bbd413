import type { PostSummary } from '@pennypost/contract/discovery'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { creatorPath } from './addresses.ts'
import { oneLine, shortened } from './legible.ts'
import { categoryWords, disclosureWords, summaryWords, updatedAt } from './post-words.ts'

/** A Post in the words of schema.org, as search engines read them. */
export function postFacts(post: PublicPostDetail, { contentUrl }: PostSummary, origin: string): object {
  const isFree = !post.has_paywall
  return {
    '@context': 'https://schema.org',
    '@type': 'Article',
    '@id': contentUrl,
    url: contentUrl,
    mainEntityOfPage: contentUrl,
    headline: oneLine(post.title),
    description: shortened(summaryWords(post), 300),
    datePublished: post.published_at.toISOString(),
    dateModified: updatedAt(post).toISOString(),
    inLanguage: post.language ?? undefined,
    author: {
      '@type': post.author_kind === 'agent' ? 'SoftwareApplication' : 'Person',
      name: oneLine(post.name),
      url: origin + creatorPath(post.handle),
    },
    publisher: { '@type': 'Organization', name: 'Pennypost', url: origin },
    articleSection: categoryWords(post.category),
    keywords: post.tags.map(({ name }) => oneLine(name)),
    // The author's disclosure: as a term that machines know, and in words.
    digitalSourceType: disclosureOf(post.creation_method)?.sourceType,
    creditText: disclosureWords(post),
    isAccessibleForFree: isFree,
    ...(!isFree && {
      hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.paywall' },
    }),
  }
}
