import { sql } from 'kysely'
import type { Clock } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { faultPoint } from '../platform/fault-point.ts'
import type { FileStore } from '../platform/files/file-store.ts'
import { linkCardKey } from '../uploads/object-keys.ts'
import { cancelUploadsOfPost } from '../uploads/post-uploads.ts'
import { lockPostFigures } from './post-figures.ts'
import { removePost } from './post-store.ts'

interface Parts {
  readonly db: Db
  readonly clock: Clock
  readonly files: FileStore
}

const batchSize = 200
/** A request that saw the post before it was withdrawn may still refer to it for some time. */
const recentMs = 3_600_000

/**
 * Erases the posts of a deleted account, one by one. Sold posts stay readable to their buyers. A post that was only quoted
 * or tipped stays as an empty row. All others are deleted. Returns false if it has to run again, because an order is open
 * or a post was public until just now.
 */
export async function erasePosts(parts: Parts, accountId: string): Promise<boolean> {
  let isFinished = true
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM posts WHERE account_id = ${accountId} AND id > ${after} ORDER BY id LIMIT ${batchSize}`.execute(
      parts.db,
    )
    for (const { id } of rows) {
      if (!(await erasePost(parts, id))) isFinished = false
      faultPoint('post-erased')
    }
    if (rows.length < batchSize) break
    after = rows.at(-1)!.id
  }
  for (const table of ['series', 'tags', 'imports'])
    await sql`DELETE FROM ${sql.table(table)} WHERE account_id = ${accountId}`.execute(parts.db)
  return isFinished
}

async function erasePost({ db, clock, files }: Parts, id: string): Promise<boolean> {
  const { card, isFinished } = await db.transaction().execute(async (tx) => {
    // The order of locks: a post's figures before the post.
    await lockPostFigures(tx, id)
    await sql`SELECT FROM posts WHERE id = ${id} FOR UPDATE`.execute(tx)
    const use = await useOf(tx, id, clock.now())
    const version = await takeCard(tx, id)
    await stripPost(tx, id)
    if (!use.is_sold && !use.is_open) {
      await cancelUploadsOfPost(tx, clock, id)
      await (use.has_history ? emptyPost(tx, id) : removeUnsold(tx, id))
    }
    return { card: version, isFinished: use.is_sold || !use.is_open }
  })
  // The picture for links shows the author's name.
  if (card !== undefined) await files.remove(linkCardKey(id, card))
  return isFinished
}

interface PostUse {
  readonly is_sold: boolean
  readonly is_open: boolean
  readonly has_history: boolean
}

/**
 * Whether anyone has a right to a post or may still get one, and whether the books refer to it. The post is locked, so no
 * order is added meanwhile.
 */
async function useOf(tx: Tx, id: string, now: Date): Promise<PostUse> {
  const { rows } = await sql<PostUse>`
    SELECT EXISTS (SELECT FROM entitlements WHERE post_id = ${id})
        OR EXISTS (SELECT FROM wallet_entitlements WHERE post_id = ${id}) AS is_sold,
      EXISTS (SELECT FROM orders WHERE post_id = ${id} AND kind = 'purchase' AND state = 'pending' AND expires_at > ${now})
        OR EXISTS (SELECT FROM x402_payments WHERE post_id = ${id} AND state = 'settling')
        OR EXISTS (SELECT FROM checkouts WHERE post_id = ${id} AND expires_at > ${now})
        OR EXISTS (SELECT FROM posts WHERE id = ${id} AND withdrawn_at > ${new Date(now.getTime() - recentMs)}) AS is_open,
      EXISTS (SELECT FROM orders WHERE post_id = ${id}) OR EXISTS (SELECT FROM x402_payments WHERE post_id = ${id})
        OR EXISTS (SELECT FROM checkouts WHERE post_id = ${id}) AS has_history`.execute(tx)
  return rows[0]!
}

async function takeCard(tx: Tx, id: string): Promise<string | undefined> {
  const { rows } = await sql<{
    version: string
  }>`DELETE FROM link_cards WHERE post_id = ${id} RETURNING version`.execute(tx)
  return rows[0]?.version
}

/** Removes everything that only the author, or readers of a public post, can see. */
async function stripPost(tx: Tx, id: string): Promise<void> {
  for (const table of [
    'post_versions',
    'post_tags',
    'series_posts',
    'chosen_posts',
    'post_slugs',
    'bookmarks',
    'post_mailings',
    'imported_posts',
    'old_paths',
  ])
    await sql`DELETE FROM ${sql.table(table)} WHERE post_id = ${id}`.execute(tx)
  for (const table of ['post_days', 'post_referrers', 'post_readers', 'gift_links', 'notification_mutes'])
    await sql`DELETE FROM ${sql.table(table)} WHERE post_id = ${id}`.execute(tx)
  await sql`DELETE FROM chosen_posts WHERE chosen_id = ${id}`.execute(tx)
  // The domain of a site is often a name.
  await sql`UPDATE posts SET canonical_url = NULL WHERE id = ${id}`.execute(tx)
}

const emptyPost = (tx: Tx, id: string): Promise<unknown> =>
  sql`
    UPDATE posts SET title = 'Deleted post', slug = left(id::text, 8), description = '', free_markdown = '', free_html = '',
      free_text = '', paid_markdown = '', paid_html = '', paid_text = '', creation_details = NULL
    WHERE id = ${id}`.execute(tx)

async function removeUnsold(tx: Tx, id: string): Promise<void> {
  await sql`DELETE FROM reports WHERE post_id = ${id}`.execute(tx)
  await sql`DELETE FROM comments WHERE post_id = ${id}`.execute(tx)
  await removePost(tx, id)
}
