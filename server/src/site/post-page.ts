import type { PostSummary } from '@pennypost/contract/discovery'
import { oneLine, truncate } from '@pennypost/site/clean-text'
import type { CommentContent } from '@pennypost/site/components/comment'
import { PostHead } from '@pennypost/site/components/head'
import { PostPage, type PostPageProps } from '@pennypost/site/components/post-page'
import { creatorPath, postPath } from '@pennypost/site/paths'
import { postSummary } from '../discovery/post-summary.ts'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import type { ReactionCounts } from '../discussion/reaction-view.ts'
import { jsonLd } from '../platform/http/page.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { paidNoteIds, withoutPaidNotes } from '../posts/markdown/paid-notes.ts'
import type { PricingParts } from '../posts/post-view.ts'
import { tippingView } from '../profiles/profile-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { linkCardSize } from '../uploads/screening/drawing/sizes.ts'
import { type LinkCard, linkCardOf } from './link-card.ts'
import type { PageComment } from './page-comment-store.ts'
import { personOf } from './person.ts'
import { postJsonLd } from './post-json-ld.ts'
import { categoryName, disclosureText, previewText, updatedAt } from './post-text.ts'
import type { SiteServices } from './services.ts'
import { sitePage } from './site-page.ts'

/** Parts of the page besides the free part. */
interface PageParts {
  readonly comments: readonly PageComment[]
  readonly hasMore: boolean
  /** The gift link that the reader came by, and the paid part if the link is valid. */
  readonly gift?: PostPageProps['gift']
}

/** The page of a post as a reply. */
export function postPage(
  parts: PricingParts & Pick<SiteServices, 'site'>,
  post: PublicPostDetail,
  shown: PageParts,
  origin: string,
) {
  const site = parts.site.settings()
  const { comments, hasMore, gift } = shown
  const summary = postSummary(parts, post, origin)
  const category = categoryName(post.category)
  const images = imageUrls(post.image_paths, '')
  const card = linkCardOf(post, site)
  return sitePage(site, {
    title: `${oneLine(post.title)} · ${oneLine(post.name)}`,
    description: truncate(previewText(post), 300),
    canonicalUrl: post.canonical_url ?? summary.pageUrl,
    feedPath: `${creatorPath(post.handle)}/`,
    entry: 'post',
    head: PostHead({
      markdownPath: `${postPath(post.id)}.md`,
      oEmbedUrl: `${origin}/oembed?url=${encodeURIComponent(summary.pageUrl)}`,
      openGraph: openGraph(post, summary, origin, site.name, card),
      jsonLd: jsonLd(postJsonLd(post, summary, origin, site, card)),
    }),
    body: PostPage({
      summary,
      authorId: post.account_id,
      author: personOf(post),
      authorBio: post.bio,
      publishedAt: post.published_at.toISOString(),
      updatedAt: updatedAt(post).toISOString(),
      importedAt: post.imported_at?.toISOString(),
      category: category === undefined ? undefined : { id: post.category!, name: category },
      freeHtml: resolveImages(post.has_paywall ? post.free_html : withoutPaidNotes(post.free_html), images),
      disclosure: disclosureText(post),
      paidContents: post.has_paywall ? paidContents(post) : undefined,
      tags: post.tags,
      counts: reactionCounts(post),
      tipLabel: post.receives_nano ? oneLine(tippingView(post).buttonLabel) : undefined,
      discussion: {
        postId: post.id,
        comments: comments.map(commentContent),
        count: post.comment_count,
        isOpen: post.comments_enabled,
        hasMore,
      },
      gift: gift && {
        token: gift.token,
        paidHtml: gift.paidHtml === undefined ? undefined : resolveImages(gift.paidHtml, images),
      },
    }),
  })
}

/** The contents behind the paywall. An image that was named but not uploaded is not shown, so it is not promised either. */
const paidContents = ({ paid_words, paid_images, image_paths, attachments, free_html }: PublicPostDetail) => ({
  words: paid_words,
  images: Math.min(paid_images, Object.keys(image_paths).length),
  files: attachments.length,
  noteIds: paidNoteIds(free_html),
})

const commentContent = (comment: PageComment): CommentContent => ({
  id: comment.id,
  threadRootId: comment.thread_root_id,
  author: personOf(comment),
  createdAt: comment.created_at.toISOString(),
  content: comment.content,
  mentioned: comment.mentioned,
  counts: comment,
})

const reactionCounts = ({ thumbs_up, heart, fire, clap }: ReactionCounts) => ({ thumbs_up, heart, fire, clap })

function openGraph(
  post: PublicPostDetail,
  { pageUrl }: PostSummary,
  origin: string,
  siteName: string,
  card: LinkCard,
): [string, string][] {
  return [
    ['og:type', 'article'],
    ['og:site_name', siteName],
    ['og:title', oneLine(post.title)],
    ['og:description', truncate(previewText(post), 300)],
    ['og:url', pageUrl],
    ['og:image', origin + card.path],
    ['og:image:type', card.mediaType],
    ['og:image:width', String(linkCardSize.width)],
    ['og:image:height', String(linkCardSize.height)],
    ['og:image:alt', `${oneLine(post.title)}, by ${oneLine(post.name)}`],
    ['article:published_time', post.published_at.toISOString()],
    ['article:modified_time', updatedAt(post).toISOString()],
    ['article:author', origin + creatorPath(post.handle)],
    ...post.tags.map(({ name }): [string, string] => ['article:tag', oneLine(name)]),
  ]
}
