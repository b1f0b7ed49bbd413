import type { Callers } from '@pennypost/contract/credential'
import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'

export interface Reader {
  readonly caller: Callers['owner-session'] | Callers['none']
  readonly giftToken: string | undefined
}

/**
 * Whether somebody may read what is sold with a Post: `hidden` where they must not even learn that it exists. The
 * access room will know buyers, gifts and wallets; until it does, this is for authors.
 */
export async function mayRead(db: Db, postId: string, { caller }: Reader): Promise<'yes' | 'no' | 'hidden'> {
  const { rows } = await sql<{ account_id: string; status: string }>`
    SELECT account_id, status FROM posts WHERE id = ${postId}`.execute(db)
  const [post] = rows
  if (!post) return 'hidden'
  if (caller.kind === 'owner-session' && caller.accountId === post.account_id) return 'yes'
  return post.status === 'published' ? 'no' : 'hidden'
}
