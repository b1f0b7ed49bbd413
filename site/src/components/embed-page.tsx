import type { PostSummary } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import { Name, type Person } from './person-link.tsx'
import { formatPrice } from './price.tsx'
import { Time } from './time.tsx'

interface EmbedPageProps {
  readonly url: string
  readonly summary: PostSummary
  readonly author: Person
  readonly preview: string
  readonly publishedAt: string
  readonly siteName: string
}

/** A post in a frame of another site. Its links open a new tab: the frame is too small to read in. */
export const EmbedPage = ({ url, summary, author, preview, publishedAt, siteName }: EmbedPageProps) => (
  <main id="main" class="embed">
    <article class="h-entry" lang={summary.language ?? 'und'}>
      <p class="facts" lang="en">
        <span class="p-author">
          <Name of={author.name} />
        </span>
        , <Time at={publishedAt} class="dt-published" />
      </p>
      <h1 dir="auto">
        <a class="u-url p-name" href={url} target="_blank" rel="noopener">
          {oneLine(summary.title)}
        </a>
      </h1>
      <p class="p-summary" dir="auto">
        {preview}
      </p>
      <p class="facts" lang="en">
        <a href={url} target="_blank" rel="noopener">
          Read on {siteName}
        </a>
        {summary.readingMinutes !== null && `, ${summary.readingMinutes} min read`}
        {summary.paymentOffers.length > 0 && (
          <>
            {' '}
            <b class="price">{formatPrice(summary)}</b>
          </>
        )}
      </p>
    </article>
  </main>
)
