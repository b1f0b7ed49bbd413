import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    websub_hubs: { url: string; told_up_to_us: string }
  }
}

/** The time of the last change that a hub was notified of. A new hub starts now. */
export async function findTold(db: Db, url: string, nowUs: bigint): Promise<bigint> {
  await db
    .insertInto('websub_hubs')
    .values({ url, told_up_to_us: String(nowUs) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { told_up_to_us } = await db
    .selectFrom('websub_hubs')
    .select('told_up_to_us')
    .where('url', '=', url)
    .executeTakeFirstOrThrow()
  return BigInt(told_up_to_us)
}

export const saveTold = (db: Db, url: string, toldUpToUs: bigint): Promise<unknown> =>
  db
    .updateTable('websub_hubs')
    .set({ told_up_to_us: String(toldUpToUs) })
    .where('url', '=', url)
    .execute()

export interface ChangedPost {
  readonly updated_us: string
  readonly handle: string
  readonly slugs: readonly string[]
}

/** Posts that were published, changed or withdrawn in this time, the oldest first, with the slugs of their tags. */
export async function listChangedPosts(
  db: Db,
  { after, upTo, limit }: { readonly after: bigint; readonly upTo: bigint; readonly limit: number },
): Promise<ChangedPost[]> {
  const { rows } = await sql<ChangedPost>`
    SELECT changed.updated_us::text, account.handle,
      ARRAY(SELECT tag.slug FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id
        WHERE post_tags.post_id = changed.id ORDER BY tag.slug) AS slugs
    FROM (SELECT id, account_id, updated_us FROM posts
        WHERE status <> 'draft' AND updated_us > ${String(after)}::bigint AND updated_us <= ${String(upTo)}::bigint
        ORDER BY updated_us FETCH FIRST ${sql.lit(limit)} ROWS WITH TIES) changed
      JOIN accounts account ON account.id = changed.account_id
    ORDER BY changed.updated_us`.execute(db)
  return rows
}
