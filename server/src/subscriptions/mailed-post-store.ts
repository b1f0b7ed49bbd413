import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'

/** A published post as an email shows it. */
export interface MailedPost {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly language: string | null
  readonly free_html: string
  /** Empty if nothing is sold. */
  readonly paid_html: string
  readonly has_paywall: boolean
  readonly price_currency: 'XNO' | 'USDC' | null
  readonly price_atomic: string | null
  readonly creation_method: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null
  readonly creation_details: string | null
  readonly published_at: Date
  readonly name: string
  readonly handle: string
  readonly image_paths: Record<string, string>
}

export async function findMailedPost(db: Db, postId: string): Promise<MailedPost | undefined> {
  const { rows } = await sql<MailedPost>`
    SELECT post.id, post.slug, post.title, post.description, post.language, post.free_html, post.paid_html,
      post.has_paywall, post.price_currency, post.price_atomic::text AS price_atomic, post.creation_method,
      post.creation_details, post.published_at, author.name, author.handle,
      coalesce(uploads.image_paths, '{}') AS image_paths
    FROM posts post JOIN accounts author ON author.id = post.account_id
      LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
    WHERE post.id = ${postId} AND post.status = 'published'`.execute(db)
  return rows[0]
}
