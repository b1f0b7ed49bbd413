import { type ColumnType, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { nextRevision } from '../uploads/revision.ts'
import { type PostState, postMoves } from './post-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    posts: PostTable
  }
}

interface PostTable {
  id: string
  account_id: string
  status: PostState
  /** Unique among the published posts of its author. The database enforces this. */
  slug: string
  title: string
  description: string
  free_markdown: string
  free_html: string
  free_text: string
  paid_markdown: string
  paid_html: string
  paid_text: string
  /** Counted by the database. */
  paid_words: ColumnType<number, never, never>
  paid_images: ColumnType<number, never, never>
  renderer_version: number
  has_paywall: boolean
  price_currency: 'XNO' | 'USDC' | null
  price_atomic: string | null
  category: string | null
  language: string | null
  creation_method: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null
  creation_details: string | null
  creation_attested: boolean
  comments_enabled: boolean
  agent_comments_enabled: boolean
  /** Whether the words of the paid text help readers find the post. */
  search_paid_content: boolean
  /** Whether its Markdown may have formulas. */
  math: boolean
  /** Where the original is, if the post appeared elsewhere first. */
  canonical_url: string | null
  created_at: Date
  updated_us: string
  /** The `keyId` of the publishing key that changed it last. Null for a browser. */
  written_by_key: string | null
  published_at: Date | null
  /** When it was imported. Its `published_at` is then what its author said. */
  imported_at: Date | null
  /** When a job publishes it. */
  scheduled_for: Date | null
  withdrawn_at: Date | null
  withdrawn_by_admin_at: Date | null
}

export type PostRow = Selectable<PostTable>
export type PostChange = Partial<
  Omit<PostRow, 'id' | 'account_id' | 'created_at' | 'updated_us' | 'status' | 'paid_words' | 'paid_images'>
>

const textColumns = ['free_markdown', 'free_html', 'free_text', 'paid_markdown', 'paid_html', 'paid_text'] as const

type TextColumn = (typeof textColumns)[number]

const isOtherColumn: Readonly<Record<Exclude<keyof PostRow, TextColumn>, true>> = {
  id: true,
  account_id: true,
  status: true,
  slug: true,
  title: true,
  description: true,
  paid_words: true,
  paid_images: true,
  renderer_version: true,
  has_paywall: true,
  price_currency: true,
  price_atomic: true,
  category: true,
  language: true,
  creation_method: true,
  creation_details: true,
  creation_attested: true,
  comments_enabled: true,
  agent_comments_enabled: true,
  search_paid_content: true,
  math: true,
  canonical_url: true,
  created_at: true,
  updated_us: true,
  written_by_key: true,
  published_at: true,
  imported_at: true,
  scheduled_for: true,
  withdrawn_at: true,
  withdrawn_by_admin_at: true,
}

/**
 * The columns that a change of a post returns. The long texts are known already, and reading them again takes longer than
 * everything else.
 */
const otherColumns = Object.keys(isOtherColumn) as (keyof typeof isOtherColumn)[]

// By name, so that the plan of a statement is kept: see statement-names.ts.
const postColumns = [...otherColumns, ...textColumns]

export async function addPost(tx: Tx, post: Insertable<PostTable>): Promise<PostRow> {
  const others = await tx.insertInto('posts').values(post).returning(otherColumns).executeTakeFirstOrThrow()
  return { ...post, ...others }
}

/** Locks a post of this account. Of concurrent edits of one revision the first wins, and the others see its result. */
export const lockOwnPost = (tx: Tx, accountId: string, id: string): Promise<PostRow | undefined> =>
  tx
    .selectFrom('posts')
    .select(postColumns)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()

/** Locks a post of any account, for administrators. */
export const lockPost = (tx: Tx, id: string): Promise<PostRow | undefined> =>
  tx.selectFrom('posts').select(postColumns).where('id', '=', id).forUpdate().executeTakeFirst()

export const findOwnPost = (db: Db | Tx, accountId: string, id: string): Promise<PostRow | undefined> =>
  db.selectFrom('posts').select(postColumns).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()

export const changePost = (
  tx: Tx,
  post: Pick<PostRow, 'id' | 'updated_us'>,
  change: PostChange,
  now: Date,
): Promise<PostRow> =>
  tx
    .updateTable('posts')
    .set({ ...change, updated_us: nextRevision(BigInt(post.updated_us), now).toString() })
    .where('id', '=', post.id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** A post that was last rendered by a renderer older than this version. */
export const findOldRendering = (db: Db, version: number): Promise<PostRow | undefined> =>
  db
    .selectFrom('posts')
    .selectAll()
    .where('renderer_version', '<', version)
    .orderBy('renderer_version')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Replaces the rendered texts of a post, unless it has changed since it was read. Its revision stays. */
export async function replaceRendering(
  tx: Tx,
  post: Pick<PostRow, 'id' | 'updated_us'>,
  rendering: PostChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('posts')
    .set(rendering)
    .where('id', '=', post.id)
    .where('updated_us', '=', post.updated_us)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns undefined if the post's state does not allow the move. */
export async function movePost(
  tx: Tx,
  post: PostRow,
  move: keyof typeof postMoves,
  now: Date,
): Promise<PostRow | undefined> {
  const { from, to } = postMoves[move]
  const others = await tx
    .updateTable('posts')
    .set({
      status: to,
      updated_us: nextRevision(BigInt(post.updated_us), now).toString(),
      withdrawn_at: to === 'withdrawn' ? now : null,
      scheduled_for: null,
      // The date of the first publication stays.
      ...(to === 'published' && { published_at: post.published_at ?? now }),
    })
    .where('id', '=', post.id)
    .where('status', 'in', from)
    .returning(otherColumns)
    .executeTakeFirst()
  return others && { ...post, ...others }
}

/**
 * Sets or clears the time of an administrator's withdrawal. While it is set, the author cannot publish the post again.
 */
export const setAdminWithdrawal = (tx: Tx, id: string, at: Date | null): Promise<unknown> =>
  tx.updateTable('posts').set({ withdrawn_by_admin_at: at }).where('id', '=', id).execute()

export const removePost = (tx: Tx, id: string): Promise<unknown> =>
  tx.deleteFrom('posts').where('id', '=', id).execute()

/**
 * Tells whether anyone was ever quoted a price or bought access. The caller has locked the post, so no quote can be
 * added meanwhile.
 */
export async function hasFinancialHistory(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT WHERE EXISTS (SELECT FROM orders WHERE post_id = ${id})
      OR EXISTS (SELECT FROM entitlements WHERE post_id = ${id})`.execute(tx)
  return rows.length > 0
}

export async function hasPublishedPost(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM posts WHERE account_id = ${accountId} AND status = 'published' LIMIT 1`.execute(tx)
  return rows.length > 0
}

export type PublishedPrice = Pick<PostRow, 'has_paywall' | 'price_currency' | 'price_atomic'> & { has_zip: boolean }

/**
 * The lowest and highest price of an account's published posts, per currency, with and without ZIPs. Rails only have a
 * smallest or a largest amount, so if both of these prices can be sold, all prices in between can be too.
 */
export async function pricesOfPublished(tx: Tx, accountId: string): Promise<PublishedPrice[]> {
  const { rows } = await sql<PublishedPrice>`
    SELECT true AS has_paywall, price_currency, unnest(ARRAY[min(price_atomic), max(price_atomic)])::text AS price_atomic, has_zip
    FROM (SELECT price_currency, price_atomic, coalesce(uploads.active_count, 0) > 0 AS has_zip
      FROM posts LEFT JOIN post_uploads uploads ON uploads.post_id = posts.id
      WHERE account_id = ${accountId} AND status = 'published' AND has_paywall AND price_atomic > 0) priced
    GROUP BY price_currency, has_zip`.execute(tx)
  return rows
}

export interface PostPage {
  readonly posts: PostRow[]
  readonly total: number
}

export async function listOwnPosts(
  db: Db,
  accountId: string,
  { status, page, perPage }: { status: PostState | 'scheduled' | undefined; page: number; perPage: number },
): Promise<PostPage> {
  const isScheduled = status === 'scheduled'
  const own = db
    .selectFrom('posts')
    .where('account_id', '=', accountId)
    .$if(isScheduled, (query) => query.where('scheduled_for', 'is not', null))
    .$if(status !== undefined && !isScheduled, (query) => query.where('status', '=', status as PostState))
  const [posts, { total }] = await Promise.all([
    own
      .selectAll()
      .$if(isScheduled, (query) => query.orderBy('scheduled_for'))
      .orderBy('updated_us', 'desc')
      .orderBy('id')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ])
  return { posts, total }
}
