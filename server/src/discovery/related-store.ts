import { sql } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement } from '../platform/database/database.ts'
import { describedTerms, titleTerms, wordsOfTitleAndDescription } from '../posts/catalog/search-terms.ts'
import { type Stems, stemmerOf, stemWords } from '../posts/catalog/stemming.ts'
import type { Listed } from './card-store.ts'

interface RelatedRow extends Listed {
  /** Posts that were compared without their words, because these are not stored yet. */
  readonly unread: string[] | null
}

const relatedPosts: Statement<RelatedRow> = {
  name: 'related-posts',
  // A few candidates by each criterion, each from an index; then ranked by points, and by score if they are equal.
  text: `WITH own AS MATERIALIZED (
      SELECT id, account_id, category, language, terms.title AS title FROM posts LEFT JOIN related_terms terms ON terms.post_id = id
      WHERE id = $1),
    candidates AS MATERIALIZED (
      (SELECT entry.post_id FROM post_tags mine JOIN post_tags member ON member.tag_id = mine.tag_id
        JOIN catalog entry ON entry.post_id = member.post_id WHERE mine.post_id = $1 ORDER BY entry.score DESC LIMIT 50)
      UNION (SELECT post_id FROM catalog WHERE category = (SELECT category FROM own) ORDER BY score DESC, post_id LIMIT 50)
      UNION (SELECT id FROM posts WHERE account_id = (SELECT account_id FROM own) AND status = 'published'
        ORDER BY updated_us DESC LIMIT 20)),
    compared AS MATERIALIZED (
      SELECT entry.post_id, entry.stamp, entry.score, terms.described IS NULL AS is_unread,
        3 * (SELECT count(*) FROM post_tags mine JOIN post_tags theirs ON theirs.tag_id = mine.tag_id
            WHERE mine.post_id = $1 AND theirs.post_id = entry.post_id)
          + 2 * (SELECT count(*) FROM unnest(own.title) word WHERE word = ANY (terms.described))
          + CASE WHEN entry.category = own.category THEN 2 ELSE 0 END + CASE WHEN entry.language = own.language THEN 2 ELSE 0 END
          + CASE WHEN post.account_id = own.account_id THEN 1 ELSE 0 END AS points
      FROM own CROSS JOIN candidates JOIN catalog entry ON entry.post_id = candidates.post_id
        JOIN posts post ON post.id = entry.post_id LEFT JOIN related_terms terms ON terms.post_id = entry.post_id
      WHERE entry.post_id <> $1)
    SELECT post_id, stamp, (SELECT array_agg(id) FROM (
        SELECT post_id AS id FROM compared WHERE is_unread UNION ALL SELECT id FROM own WHERE title IS NULL) found) AS unread
    FROM compared ORDER BY points DESC, score DESC, post_id LIMIT $2`,
}

/** Posts that are similar to a published one, by shared tags, words of its title, category, language and author. */
export async function listSimilar(
  { db, pool }: { readonly db: Db; readonly pool: pg.Pool },
  postId: string,
  limit: number,
): Promise<Listed[]> {
  const rows = await readRows(pool, relatedPosts, [postId, limit])
  const unread = rows[0]?.unread
  if (!unread) return rows
  await storeTerms(db, unread)
  return readRows(pool, relatedPosts, [postId, limit])
}

interface DescribedPost {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly language: string | null
  readonly updated_us: string
}

/**
 * Stores the words of titles and descriptions. A trigger deletes them when the text changes, so a post that was changed since it
 * was read, or that is being changed, is left out.
 */
async function storeTerms(db: Db, ids: readonly string[]): Promise<void> {
  const { rows: posts } = await sql<DescribedPost>`
    SELECT id, title, description, language, updated_us FROM posts WHERE id = ANY(${ids}::uuid[])`.execute(db)
  const stemmers = new Set(posts.flatMap(({ language }) => stemmerOf(language) ?? []))
  const stemsByStemmer = new Map<string, Stems>()
  for (const stemmer of stemmers) {
    const words = posts.filter(({ language }) => stemmerOf(language) === stemmer).flatMap(wordsOfTitleAndDescription)
    for (const stems of await stemWords(db, [stemmer], [...new Set(words)])) stemsByStemmer.set(stemmer, stems)
  }
  const terms = posts.map((post) => {
    const stemmer = stemmerOf(post.language)
    const stems = stemmer === undefined ? undefined : stemsByStemmer.get(stemmer)
    return { title: `{${titleTerms(post.title, stems)}}`, described: `{${describedTerms(post, stems)}}` }
  })
  await sql`
    INSERT INTO related_terms (post_id, title, described)
    SELECT post.id, found.title::bigint[], found.described::bigint[]
    FROM unnest(${posts.map(({ id }) => id)}::uuid[], ${posts.map((post) => post.updated_us)}::bigint[],
        ${terms.map(({ title }) => title)}::text[], ${terms.map(({ described }) => described)}::text[])
      AS found (id, updated_us, title, described)
      JOIN posts post ON post.id = found.id AND post.updated_us = found.updated_us
    ORDER BY post.id FOR SHARE OF post SKIP LOCKED
    ON CONFLICT DO NOTHING`.execute(db)
}
