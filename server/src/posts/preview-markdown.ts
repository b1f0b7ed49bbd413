import { type previewMarkdown as declared, postNotFound } from '@pennypost/contract/posts'
import { customerNetwork } from '../platform/http/client-address.ts'
import { refuse } from '../platform/http/refuse.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { resolveImages } from './markdown/images.ts'
import { renderPart } from './post-content.ts'
import { findOwnPost } from './post-store.ts'
import type { Handler, PostServices } from './services.ts'

export const previewMarkdown: Handler<typeof declared> = async (services, { caller, body, ip, origin, hasLeft }) => {
  const { markdown, part, postId, math } = body
  const post = postId === undefined ? undefined : await findPost(services, caller.accountId, postId)
  const other = part === 'free' ? post?.paid_markdown : post?.free_markdown
  const options = { part, other, math: math ?? post?.math }
  const sender = { accountId: caller.accountId, network: customerNetwork(ip) }
  // A client that disconnected meanwhile needs no preview.
  const { html } = await renderPart(services.renderer, sender, markdown, options, () => !hasLeft())
  return { status: 200, body: { html: resolveImages(html, imageUrls(post?.imagePaths ?? {}, origin)) } }
}

async function findPost({ db }: PostServices, accountId: string, postId: string) {
  const post = (await findOwnPost(db, accountId, postId)) ?? refuse(postNotFound)
  return { ...post, imagePaths: (await uploadsOfPosts(db, [postId])).get(postId)!.image_paths }
}
