import type pg from 'pg'
import { accountOfHandle } from '../accounts/account-of-handle.ts'
import { batchedReads } from '../platform/batched-reads.ts'
import { type Reader, readRows, type Statement } from '../platform/database/database.ts'
import { publicPostJoins } from '../posts/catalog/public-post.ts'
import { storedSlug } from '../posts/slug.ts'

// A stamp identifies the state of everything that the page of a post shows: what was made from that state can be sent again
// as long as the stamp is the same. It is made from the versions (`xmin`) of all rows that the page is made from, which
// PostgreSQL changes with every update. So nothing has to be counted when something changes, and no change can be forgotten
// as long as the stamp reads every table that the page reads. Reading versions costs a tenth of reading the rows.

/** A published post, and the state that it is in. */
export interface PostStamp {
  readonly what: Stamped
  readonly postId: string
  readonly stamp: string
}

interface StampRow {
  readonly post_id: string
  readonly stamp: string
  readonly place: number
}

/** The comments on the page of a post, and one more, which says whether there are further ones. */
export const pageCommentsRead = 21

// Of the figures the values, without the number of readers: every new reader changes that, and no page shows it.
// Versions are from one run of the server: a database that was restored from a backup may use their numbers again.
const versionsOfPost = `pg_postmaster_start_time(), post.xmin, account.xmin, profile.xmin, nano.xmin, base.xmin, uploads.xmin, shown.xmin,
  figures.comment_count, figures.thumbs_up, figures.heart, figures.fire, figures.clap, figures.sales_count, figures.tip_total_raw,
  figures.tip_total_atomic,
  (SELECT string_agg(concat(post_tags.xmin, ' ', tag.xmin), ',')
    FROM post_tags JOIN tags tag ON tag.id = post_tags.tag_id WHERE post_tags.post_id = post.id)`

const versionsOfComments = `CASE WHEN figures.comment_count > 0 THEN (
    SELECT string_agg(concat(comment.version, ' ', person.xmin, ' ', profile.xmin, ' ', CASE WHEN comment.mentions <> '[]' THEN (
        SELECT string_agg(concat((SELECT xmin FROM accounts WHERE id = (bound ->> 'profileId')::uuid)), '+')
        FROM jsonb_array_elements(comment.mentions) bound) END), ',')
    FROM (SELECT xmin AS version, author_id, mentions FROM comments WHERE post_id = post.id
        ORDER BY created_at LIMIT ${pageCommentsRead}) comment
      JOIN accounts person ON person.id = comment.author_id LEFT JOIN profiles profile ON profile.account_id = person.id) END`

/** `wanted` selects the id and the place of each post that is asked for. */
const stampsOf = (wanted: string, versions: string): string => `WITH wanted AS MATERIALIZED (${wanted})
  SELECT post.id AS post_id, wanted.place::int AS place, md5(ROW(${versions})::text) AS stamp
  FROM wanted JOIN posts post ON post.id = wanted.post_id ${publicPostJoins}
    LEFT JOIN catalog_cards shown ON shown.post_id = post.id LEFT JOIN post_figures figures ON figures.post_id = post.id
  WHERE post.status = 'published'`

// In a subquery, so that the planner does not see how many there are: it would plan again for each different number,
// which takes ten times as long as the query.
const wantedIds = `SELECT post_id, place FROM unnest((SELECT $1::uuid[])) WITH ORDINALITY AS asked (post_id, place)`
const wantedSlugs = `SELECT (SELECT post_id FROM post_slugs
      WHERE account_id = ${accountOfHandle('asked.handle')} AND slug = asked.slug) AS post_id, place
    FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY AS asked (handle, slug, place)`

/** What is asked about a post: its page with the first comments, or the post alone. */
export type Stamped = 'page' | 'post'

const versions: Readonly<Record<Stamped, string>> = {
  page: `${versionsOfPost}, ${versionsOfComments}`,
  post: versionsOfPost,
}

export const stampsById: Readonly<Record<Stamped, Statement<StampRow>>> = {
  page: { name: 'page-stamps', text: stampsOf(wantedIds, versions.page) },
  post: { name: 'post-stamps', text: stampsOf(wantedIds, versions.post) },
}

const pageStampsBySlug: Statement<StampRow> = {
  name: 'page-stamps-by-slug',
  text: stampsOf(wantedSlugs, versions.page),
}

export interface PostStamps {
  page(postId: string): Promise<PostStamp | undefined>
  /** By a handle that the author has or had, and a slug that the post has or had. */
  pageBySlug(address: { readonly handle: string; readonly slug: string }): Promise<PostStamp | undefined>
  post(postId: string): Promise<PostStamp | undefined>
}

const batches = { maxKeys: 64, maxBatches: 2 }

/** Reads stamps for all requests of a moment with one query. */
export function openPostStamps(pool: pg.Pool): PostStamps {
  const byId = (what: Stamped) =>
    batchedReads(
      async (ids: readonly string[]) => inOrder(what, ids, await readRows(pool, stampsById[what], [ids])),
      batches,
    )
  return {
    page: byId('page'),
    post: byId('post'),
    pageBySlug: batchedReads(async (addresses) => {
      const handles = addresses.map(({ handle }) => handle)
      const slugs = addresses.map(({ slug }) => storedSlug(slug))
      return inOrder('page', addresses, await readRows(pool, pageStampsBySlug, [handles, slugs]))
    }, batches),
  }
}

/** The stamp of one post as a transaction sees it. */
export const readStamp = async (reader: Reader, { what, postId }: PostStamp): Promise<string | undefined> =>
  (await readRows(reader, stampsById[what], [[postId]]))[0]?.stamp

function inOrder(what: Stamped, asked: readonly unknown[], rows: readonly StampRow[]): (PostStamp | undefined)[] {
  const found = new Array<PostStamp | undefined>(asked.length)
  for (const { place, post_id: postId, stamp } of rows) found[place - 1] = { what, postId, stamp }
  return found
}
