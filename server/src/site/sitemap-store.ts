import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import { idAfter, rangeOf } from './sitemap-ranges.ts'

const kinds = ['posts', 'creators', 'collections'] as const
export type SitemapKind = (typeof kinds)[number]

export interface SitemapEntry {
  readonly id: string
  readonly handle: string
  readonly slug: string
  readonly changed_at: Date | null
}

const batch = 1000

// Each statement walks a range of one table by its key; whether a row is public is one index lookup.
const entries: Readonly<Record<SitemapKind, Statement<SitemapEntry>>> = {
  posts: {
    name: 'sitemap-posts',
    text: `SELECT post.id, account.handle, post.slug, to_timestamp(post.updated_us / 1000000) AS changed_at FROM posts post
      JOIN accounts account ON account.id = post.account_id
      WHERE post.id >= $1 AND post.id <= $2 AND post.status = 'published' AND post.canonical_url IS NULL ORDER BY post.id LIMIT ${batch}`,
  },
  creators: {
    name: 'sitemap-creators',
    text: `SELECT account.id, account.handle, '' AS slug, newest.published_at AS changed_at FROM accounts account
      JOIN LATERAL (SELECT published_at FROM posts WHERE account_id = account.id AND status = 'published'
        ORDER BY published_at DESC LIMIT 1) newest ON true
      WHERE account.id >= $1 AND account.id <= $2 ORDER BY account.id LIMIT ${batch}`,
  },
  collections: {
    name: 'sitemap-collections',
    text: `SELECT tag.id, account.handle, tag.slug, NULL::timestamptz AS changed_at FROM tags tag
      JOIN accounts account ON account.id = tag.account_id
      JOIN LATERAL (SELECT FROM post_tags JOIN posts post ON post.id = post_tags.post_id
        WHERE post_tags.tag_id = tag.id AND post.status = 'published' LIMIT 1) member ON true
      WHERE tag.id >= $1 AND tag.id <= $2 ORDER BY tag.id LIMIT ${batch}`,
  },
}

/** The public entries of a range of ids, in batches, up to `most`. */
export async function* listEntries(
  pool: pg.Pool,
  kind: SitemapKind,
  range: number,
  most: number,
): AsyncGenerator<SitemapEntry[]> {
  const { first, last } = rangeOf(range)
  let from: string | undefined = first
  let left = most
  while (from !== undefined && left > 0) {
    const found: SitemapEntry[] = (await readRows(pool, entries[kind], [from, last])).slice(0, left)
    if (found.length > 0) yield found
    left -= found.length
    from = found.length < batch ? undefined : idAfter(found.at(-1)!.id)
  }
}

const counted: Readonly<Record<SitemapKind, string>> = { posts: 'posts', creators: 'accounts', collections: 'tags' }

/** About how many there are, from the database's statistics. Counting would read all of them. */
export async function estimateCount(pool: pg.Pool, kind: SitemapKind): Promise<number> {
  const statement: Statement<{ estimate: number }> = {
    name: 'sitemap-estimate',
    text: 'SELECT greatest(reltuples, 0)::float8 AS estimate FROM pg_class WHERE oid = $1::regclass',
  }
  return (await readRows(pool, statement, [counted[kind]]))[0]?.estimate ?? 0
}

const published: Statement<{ posts: boolean; collections: boolean }> = {
  name: 'sitemap-kinds',
  text: `SELECT EXISTS (SELECT FROM posts WHERE status = 'published') AS posts,
    EXISTS (SELECT FROM post_tags JOIN posts post ON post.id = post_tags.post_id
      WHERE post.status = 'published') AS collections`,
}

/** The kinds that have any entries. Only creators with a published post count. */
export async function listKinds(pool: pg.Pool): Promise<SitemapKind[]> {
  const [found] = await readRows(pool, published, [])
  return kinds.filter((kind) => (kind === 'collections' ? found?.collections : found?.posts))
}
