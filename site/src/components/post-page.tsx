import type { PostSummary } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import { formatDate } from '../format.ts'
import { postPath } from '../paths.ts'
import { AttachmentList, type FileLink } from './attachment-list.tsx'
import { AuthorCard } from './author-card.tsx'
import { Avatar } from './avatar.tsx'
import { CommentsSection, type Discussion } from './comments-section.tsx'
import { type PaidContents, Paywall, paywallContent } from './paywall.tsx'
import { Name, type Person, PersonLink } from './person-link.tsx'
import { PostActions } from './post-actions.tsx'
import { formatPrice } from './price.tsx'
import type { ReactionCounts } from './reactions.tsx'
import { Prose } from './sanitized-html.tsx'
import { SubscribePlace } from './subscribe-form.tsx'
import { TagList, type TagListProps } from './tag-list.tsx'
import { Time } from './time.tsx'

/** A post as its page shows it, besides what the API says about it. */
export interface PostPageProps {
  readonly summary: PostSummary
  readonly authorId: string
  readonly author: Person
  readonly authorBio: string | null
  readonly publishedAt: string
  readonly updatedAt: string
  /** When it was imported from another site. Its date is then what its author said. */
  readonly importedAt?: string | undefined
  readonly category: { readonly id: string; readonly name: string } | undefined
  readonly freeHtml: string
  /** How it was made, in words. */
  readonly disclosure: string | undefined
  /** The contents behind the paywall; undefined for a free post. */
  readonly paidContents: PaidContents | undefined
  readonly tags: TagListProps['tags']
  readonly counts: ReactionCounts
  readonly tipLabel: string | undefined
  readonly discussion: Discussion
  /** The gift link that the reader came by, and the paid part if the link is valid. */
  readonly gift: { readonly token: string; readonly paidHtml: string | undefined } | undefined
}

/** The page of a post: the free part, the paywall or the paid part, the author, what to read next, and the comments. */
export function PostPage(props: PostPageProps) {
  const { summary, author, category, counts, tipLabel, gift } = props
  const paidHtml = gift?.paidHtml
  const paywall = paidHtml === undefined && props.paidContents && paywallContent(summary, props.paidContents)
  const price = props.paidContents && formatPrice(summary)
  return (
    <main id="main" class="reading" data-post={summary.id} data-author={props.authorId} data-handle={author.handle}>
      <article class="h-entry" lang={summary.language ?? 'und'}>
        <header class="post-head">
          <data class="u-url u-uid" value={summary.pageUrl} />
          {category && (
            <p class="eyebrow" lang="en">
              <a href={`/?category=${category.id}`}>{category.name}</a>
            </p>
          )}
          <h1 class="p-name" dir="auto">
            {oneLine(summary.title)}
          </h1>
          {summary.description !== '' && (
            <p class="lead p-summary" dir="auto">
              {oneLine(summary.description)}
            </p>
          )}
          <div class="by" lang="en">
            <Avatar person={author} />
            <p class="facts">
              <PersonLink person={author} rel="author" class="p-author h-card" />
              <br />
              <Time at={props.publishedAt} class="dt-published" />
              {updatedNote(props)}
              {props.importedAt !== undefined && `, imported ${formatDate(props.importedAt)}`}
              {summary.readingMinutes !== null && `, ${summary.readingMinutes} min read`}
              {price !== undefined && (
                <>
                  {' '}
                  <b class="price">{price}</b>
                </>
              )}
            </p>
          </div>
        </header>
        <Prose html={props.freeHtml} />
        {gift && <GiftNote isOpen={paidHtml !== undefined} giver={author.name} />}
        {paidHtml !== undefined && <Prose html={paidHtml} />}
        {paywall && (
          <div data-paywall="" data-props={JSON.stringify(paywall)}>
            <Paywall {...paywall} />
          </div>
        )}
        <footer class="post-foot" lang="en">
          {props.disclosure !== undefined && <p class="disclosure">{props.disclosure}</p>}
          <TagList handle={author.handle} tags={props.tags} />
          <div data-files="">
            <AttachmentList
              attachments={summary.attachments}
              linkOf={paidHtml === undefined ? undefined : giftLinkOf(gift!.token)}
            />
          </div>
          <div class="post-acts" data-post-acts="" data-props={JSON.stringify({ counts, tipLabel })}>
            <PostActions counts={counts} tipLabel={tipLabel} />
          </div>
        </footer>
      </article>
      <AuthorCard author={author} bio={props.authorBio} />
      <SubscribePlace handle={author.handle} name={author.name} />
      <section class="related" aria-labelledby="related-title" data-related="" />
      <CommentsSection {...props.discussion} />
      <p class="facts">
        <a href={`${postPath(summary.id)}.md`}>This post as Markdown</a>
      </p>
    </main>
  )
}

/** A gift link opens the files too. */
const giftLinkOf =
  (token: string) =>
  ({ downloadUrl }: { readonly downloadUrl: string }): FileLink => ({
    href: `${downloadUrl}?gift=${token}`,
    label: 'Download',
    isDownload: true,
  })

function updatedNote({ publishedAt, updatedAt }: PostPageProps) {
  return (
    formatDate(publishedAt) !== formatDate(updatedAt) && (
      <>
        , updated <Time at={updatedAt} class="dt-updated" />
      </>
    )
  )
}

/** The notice above the paid part for a reader with a gift link. */
const GiftNote = ({ isOpen, giver }: { readonly isOpen: boolean; readonly giver: string }) =>
  isOpen ? (
    <p class="notice gift" lang="en">
      <b>
        A gift from <Name of={giver} />.
      </b>{' '}
      What follows is for sale, and free for you with this link.
    </p>
  ) : (
    <p class="notice" lang="en">
      This gift link has expired. Ask for a new one where you got it.
    </p>
  )
