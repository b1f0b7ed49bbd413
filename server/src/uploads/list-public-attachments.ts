import type { listPublicAttachments as declared } from '@pennypost/contract/attachments'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { readRows, type Statement } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { publicAttachment, type ReadyAttachment } from './attachment-view.ts'
import type { Handler } from './services.ts'

const attachmentsOfPublicPost: Statement<{ attachments: ReadyAttachment[] | null }> = {
  name: 'attachments-of-public-post',
  text: `SELECT uploads.attachments FROM posts post LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
    WHERE post.id = $1 AND post.status = 'published'`,
}

export const listPublicAttachments: Handler<typeof declared> = async ({ pool }, { params }) => {
  const [post] = await readRows(pool, attachmentsOfPublicPost, [params.postId])
  if (!post) return refuse(publicPostNotFound)
  return { status: 200, body: { attachments: (post.attachments ?? []).map(publicAttachment) } }
}
