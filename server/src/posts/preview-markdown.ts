import { type previewMarkdown as declared, postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { resolveImages } from './markdown/images.ts'
import { renderPart } from './post-content.ts'
import { findOwnPost } from './post-store.ts'
import type { Handler, PostServices } from './services.ts'

export const previewMarkdown: Handler<typeof declared> = async (services, { caller, body, origin }) => {
  const paths = body.postId === undefined ? {} : await imagePathsOf(services, caller.accountId, body.postId)
  const { html } = await renderPart(services.renderer, caller.accountId, body.markdown, 'free')
  return { status: 200, body: { html: resolveImages(html, imageUrls(paths, origin)) } }
}

async function imagePathsOf({ db }: PostServices, accountId: string, postId: string): Promise<Record<string, string>> {
  if (!(await findOwnPost(db, accountId, postId))) refuse(postNotFound)
  return (await uploadsOfPosts(db, [postId])).get(postId)!.image_paths
}
