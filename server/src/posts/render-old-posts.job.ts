import { z } from 'zod'
import { QueueFull } from '../platform/fair-queue.ts'
import { MachineBusy } from '../platform/work-limit.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { MarkdownTooComplex, ownSender } from './markdown/renderer.ts'
import { rendererVersion } from './markdown/renderer-version.ts'
import { renderPost } from './post-content.ts'
import { findOldRendering, type PostRow, replaceRendering } from './post-store.ts'
import type { Job, PostServices } from './services.ts'

const payload = z.object({})
/** The most posts in one run, so that a run ends soon. The next one continues. */
const most = 100

/**
 * Renders posts again that an older renderer rendered, a few at a time, so that old posts look like new ones. They take
 * turns with what authors save. The revision of a post stays: its author changed nothing.
 */
export const renderOldPosts: Job<typeof payload> = {
  name: 'render-old-posts',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run(services) {
    for (let count = 0; count < most; count++) {
      const post = await findOldRendering(services.db, rendererVersion)
      if (!post) return
      const rendering = await renderAgain(services, post)
      if (!rendering) return
      await services.db.transaction().execute(async (tx) => {
        const isReplaced = await replaceRendering(tx, post, rendering)
        // Otherwise its author has saved it meanwhile, which rendered it.
        if (isReplaced && post.status === 'published' && hasOtherText(post, rendering)) await indexPosts(tx, [post.id])
      })
    }
  },
}

type Rendering = Awaited<ReturnType<typeof renderPost>>

/** Undefined if this has to wait, because authors have a lot to render or the machine is busy. */
async function renderAgain({ renderer }: PostServices, post: PostRow): Promise<Rendering | undefined> {
  try {
    return await renderPost(post, ['free', 'paid'], (markdown, options) =>
      renderer.render(markdown, options, ownSender('old posts')),
    )
  } catch (error) {
    // It was simple enough for the previous renderer, so the old result stays.
    if (error instanceof MarkdownTooComplex) return { renderer_version: rendererVersion }
    if (error instanceof QueueFull || error instanceof MachineBusy) return undefined
    throw error
  }
}

const hasOtherText = (post: PostRow, { free_text, paid_text }: Rendering): boolean =>
  (free_text ?? post.free_text) !== post.free_text || (paid_text ?? post.paid_text) !== post.paid_text
