import type { PostAccess } from '@pennypost/contract/access'
import { resolveImages } from '../posts/markdown/images.ts'
import { publicAttachment } from '../uploads/attachment-view.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { type Grant, keeps } from './may-read.ts'
import type { PostContent } from './reading-store.ts'

/** What a grant shows. Free readers see the free part only: what was behind a paywall that was taken off is not for them. */
export function accessView(postId: string, content: PostContent, grant: Grant, origin: string): PostAccess {
  const urlOf = imageUrls(content.image_paths, origin)
  const kept = content.retained.filter(({ removedAt }) => keeps(grant, removedAt === null ? null : new Date(removedAt)))
  const isWhole = grant.access !== 'free'
  return {
    access: grant.access,
    postId,
    contentMarkdown: content.free_markdown,
    contentHtml: resolveImages(content.free_html, urlOf),
    paidContentMarkdown: isWhole ? content.paid_markdown : null,
    paidContentHtml: isWhole ? resolveImages(content.paid_html, urlOf) : null,
    attachments: [...content.attachments, ...kept].map(publicAttachment),
    entitlement: grant.entitlement,
  }
}
