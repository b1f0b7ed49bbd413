import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { slugOf } from './slug.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    tags: { id: string; account_id: string; name: string; slug: string; created_at: Date }
    post_tags: { post_id: string; tag_id: string }
  }
}

export interface TagRow {
  readonly id: string
  readonly name: string
  readonly slug: string
}

/** Replaces a post's tags. Names that differ only in case are the same tag, which keeps its first spelling. */
export async function replaceTags(
  tx: Tx,
  accountId: string,
  postId: string,
  names: readonly string[],
  now: Date,
): Promise<void> {
  const wanted = new Map<string, string>()
  for (const name of names) if (!wanted.has(name.toLowerCase())) wanted.set(name.toLowerCase(), name)
  const tagIds: string[] = []
  // Always in the same order, so that two concurrent saves with the same new tags cannot deadlock.
  for (const folded of [...wanted.keys()].sort()) tagIds.push(await ensureTag(tx, accountId, wanted.get(folded)!, now))
  await tx.deleteFrom('post_tags').where('post_id', '=', postId).execute()
  if (tagIds.length > 0) {
    await tx
      .insertInto('post_tags')
      .values(tagIds.map((tag_id) => ({ post_id: postId, tag_id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

async function ensureTag(tx: Tx, accountId: string, name: string, now: Date): Promise<string> {
  const find = () =>
    tx
      .selectFrom('tags')
      .select('id')
      .where('account_id', '=', accountId)
      .where(sql`lower(name)`, '=', sql`lower(${name})`)
      .executeTakeFirst()
  const known = await find()
  if (known) return known.id
  const slug = slugOf(name) || 'untitled'
  // Two names can have the same slug; the second one gets a number.
  for (let attempt = 1; ; attempt += 1) {
    const added = await tx
      .insertInto('tags')
      .values({
        id: randomUUID(),
        account_id: accountId,
        name,
        slug: attempt === 1 ? slug : `${slug}-${attempt}`,
        created_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    const id = added?.id ?? (await find())?.id
    if (id) return id
  }
}

export async function tagsOfPosts(db: Db | Tx, postIds: readonly string[]): Promise<Map<string, TagRow[]>> {
  const byPost = new Map<string, TagRow[]>(postIds.map((id) => [id, []]))
  if (postIds.length === 0) return byPost
  const rows = await db
    .selectFrom('post_tags')
    .innerJoin('tags', 'tags.id', 'post_tags.tag_id')
    .select(['post_tags.post_id', 'tags.id', 'tags.name', 'tags.slug'])
    .where('post_tags.post_id', 'in', postIds)
    // A post lists its tags in the order of their ids.
    .orderBy('tags.id')
    .execute()
  for (const { post_id, id, name, slug } of rows) byPost.get(post_id)!.push({ id, name, slug })
  return byPost
}

export async function listOwnTags(db: Db, accountId: string): Promise<(TagRow & { post_count: number })[]> {
  const { rows } = await sql<TagRow & { post_count: number }>`
    SELECT tags.id, tags.name, tags.slug, count(post_tags.post_id)::int AS post_count
    FROM tags LEFT JOIN post_tags ON post_tags.tag_id = tags.id
    WHERE tags.account_id = ${accountId} GROUP BY tags.id ORDER BY lower(tags.name), tags.id`.execute(db)
  return rows
}
