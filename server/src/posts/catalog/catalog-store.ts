import { type Generated, sql } from 'kysely'
import { type Db, inAnyOrder, oneOf, type Tx } from '../../platform/database/database.ts'
import { countWords } from './count-words.ts'
import { publicPostColumns, publicPostJoins } from './public-post.ts'
import { type Figures, popularityOf, recommendedScore } from './ranking.ts'
import { type Indexed, type KeyedWord, searchTermsOf } from './search-terms.ts'
import { saveSearchWords, wordsTable } from './search-words.ts'
import { stemmerOf, stemWords } from './stemming.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    catalog: { post_id: string }
    catalog_stale: { id: Generated<string>; post_id: string; is_standing_only: boolean }
  }
}

interface IndexedPost extends Figures {
  readonly id: string
  readonly status: string
  readonly title: string
  readonly description: string
  readonly free_text: string
  readonly paid_text: string
  readonly paid_words: number
  readonly has_paywall: boolean
  readonly price_currency: 'XNO' | 'USDC' | null
  readonly price_atomic: string | null
  readonly category: string | null
  readonly language: string | null
  readonly published_at: Date
  readonly name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly receives_nano: boolean
  readonly receives_base: boolean
  readonly has_attachments: boolean
  readonly has_zip: boolean
  readonly words_table: string
}

// A post has no row of figures until something happens to it.
const figureColumns = `coalesce(figures.sales_count, 0) AS sales, coalesce(figures.comment_count, 0) AS comments,
  coalesce(figures.thumbs_up + figures.heart + figures.fire + figures.clap, 0) AS reactions,
  coalesce(figures.reader_count, 0) AS readers`

/**
 * Brings the catalog rows of these posts up to date. Posts that are not published have none. `terms` are those of the post, if
 * there is only one and they were found before.
 */
export async function indexPosts(tx: Tx, postIds: readonly string[], terms?: Indexed): Promise<void> {
  const posts = await readForIndex(tx, postIds)
  const published = posts.filter(({ status }) => status === 'published')
  const hidden = postIds.filter((id) => !published.some((post) => post.id === id))
  if (hidden.length > 0) await tx.deleteFrom('catalog').where('post_id', 'in', hidden).execute()
  const publicWords: KeyedWord[] = []
  for (const post of published) publicWords.push(...(await saveEntry(tx, post, terms)))
  const [first] = published
  if (first) await saveSearchWords(tx, first.words_table, publicWords)
}

// Locks the posts, so that a concurrent edit waits. Authors are not locked: an author who changes their name meanwhile
// marks these posts stale again.
async function readForIndex(tx: Tx, postIds: readonly string[]): Promise<IndexedPost[]> {
  const { rows } = await sql<IndexedPost>`
    SELECT post.id, post.status, post.title, post.description, post.free_text,
      CASE WHEN post.search_paid_content THEN post.paid_text ELSE '' END AS paid_text, post.paid_words, post.has_paywall, post.price_currency,
      post.price_atomic, post.category, post.language, post.published_at, account.name, account.handle, account.author_kind,
      EXISTS (SELECT FROM receiving_addresses r WHERE r.account_id = account.id AND r.rail = 'nano') AS receives_nano,
      EXISTS (SELECT FROM receiving_addresses r WHERE r.account_id = account.id AND r.rail = 'base') AS receives_base,
      EXISTS (SELECT FROM post_uploads u WHERE u.post_id = post.id AND u.ready_count > 0) AS has_attachments,
      EXISTS (SELECT FROM post_uploads u WHERE u.post_id = post.id AND u.active_count > 0) AS has_zip,
      ${sql.raw(wordsTable)} AS words_table, ${sql.raw(figureColumns)}
    FROM posts post JOIN accounts account ON account.id = post.account_id LEFT JOIN post_figures figures ON figures.post_id = post.id
    WHERE post.id ${oneOf(postIds)} ORDER BY post.id FOR NO KEY UPDATE OF post`.execute(tx)
  return rows
}

/** Most words of one post that searches are completed with. */
const maxCompletions = 5_000

type SearchedPost = Pick<
  IndexedPost,
  'title' | 'description' | 'name' | 'handle' | 'language' | 'free_text' | 'paid_text'
>

/** Finds the terms of a post. Its paid text is empty if it is not to be searched. */
export const findTerms = (tx: Tx, post: SearchedPost): Promise<Indexed> => {
  const stemmer = stemmerOf(post.language)
  return searchTermsOf({ ...post, freeText: post.free_text, paidText: post.paid_text }, async (words) =>
    stemmer === undefined ? undefined : (await stemWords(tx, [stemmer], words))[0],
  )
}

/** Saves the row of a post in the catalog. Returns words of its public text. */
async function saveEntry(tx: Tx, post: IndexedPost, known: Indexed | undefined): Promise<readonly KeyedWord[]> {
  // The database writes the row and the card while the terms are computed here.
  const [, { terms, publicWords }] = await inAnyOrder(
    saveRow(tx, post).then(() => saveCard(tx, post)),
    known ?? findTerms(tx, post),
  )
  await saveTerms(tx, post, terms)
  return publicWords.slice(0, maxCompletions)
}

// Writing terms means thousands of index entries, so equal ones are left alone.
async function saveTerms(tx: Tx, { id }: IndexedPost, terms: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO search_terms (post_id, terms)
    SELECT entry.post_id, search_terms_of(${`{${terms.join()}}`}::bigint[], entry) FROM catalog entry WHERE entry.post_id = ${id}
    ON CONFLICT (post_id) DO UPDATE SET terms = excluded.terms WHERE search_terms.terms <> excluded.terms`.execute(tx)
}

async function saveRow(tx: Tx, post: IndexedPost): Promise<void> {
  const popularity = popularityOf(post)
  const kind = post.has_paywall ? post.price_currency! : 'free'
  await sql`
    INSERT INTO catalog (post_id, published_at, score, popularity, price_kind, price_atomic, is_agent, has_attachments, has_zip,
      receives_nano, receives_base, category, language, is_stemmed)
    VALUES (${post.id}, ${post.published_at}, ${recommendedScore(post.published_at, popularity)}, ${popularity}, ${kind},
      ${kind === 'free' ? '0' : post.price_atomic}, ${post.author_kind === 'agent'}, ${post.has_attachments}, ${post.has_zip},
      ${post.receives_nano}, ${post.receives_base}, ${post.category ?? ''}, ${post.language ?? ''}, true)
    ON CONFLICT (post_id) DO UPDATE SET published_at = excluded.published_at, score = excluded.score,
      popularity = excluded.popularity, price_kind = excluded.price_kind, price_atomic = excluded.price_atomic,
      is_agent = excluded.is_agent, has_attachments = excluded.has_attachments,
      has_zip = excluded.has_zip, receives_nano = excluded.receives_nano,
      receives_base = excluded.receives_base, category = excluded.category, language = excluded.language,
      terms = '{}', is_stemmed = true, stamp = excluded.stamp`.execute(tx)
}

async function saveCard(tx: Tx, post: IndexedPost): Promise<void> {
  const words = countWords(post.free_text) + (post.has_paywall ? post.paid_words : 0)
  await sql`
    INSERT INTO catalog_cards (post_id, card, words) SELECT shown.id, row_to_json(shown), ${words}
    FROM (SELECT ${sql.raw(publicPostColumns)} FROM posts post ${sql.raw(publicPostJoins)} WHERE post.id = ${post.id}) shown,
      set_config('pennypost.counts_words', 'on', true)
    ON CONFLICT (post_id) DO UPDATE SET card = excluded.card, words = excluded.words`.execute(tx)
}

/** Popularity is only saved when it changes by a hundredth or more, so that popular posts are not rewritten all day. */
const leastChange = 0.01

/**
 * Updates the popularity, score and comment count of posts whose figures have changed. Leaves the rest of their rows alone.
 * Locks the rows in the order of ids, like all code that writes several.
 */
export async function updateFigures(tx: Tx, postIds: readonly string[]): Promise<void> {
  const { rows } = await sql<
    Figures & { id: string; published_at: Date; popularity: number; is_card_outdated: boolean }
  >`
    SELECT entry.post_id AS id, entry.published_at, entry.popularity, ${sql.raw(figureColumns)},
      shown.words IS NULL OR shown.comment_count <> coalesce(figures.comment_count, 0) AS is_card_outdated
    FROM catalog entry JOIN catalog_cards shown ON shown.post_id = entry.post_id
      LEFT JOIN post_figures figures ON figures.post_id = entry.post_id
    WHERE entry.post_id = ANY(${postIds}) ORDER BY entry.post_id FOR NO KEY UPDATE OF entry`.execute(tx)
  const moved = rows
    .map(({ id, published_at, popularity, is_card_outdated, ...figures }) => ({
      id,
      published_at,
      popularity,
      now: popularityOf(figures),
      isCardOutdated: is_card_outdated,
    }))
    .filter(
      ({ popularity, now, isCardOutdated }) =>
        isCardOutdated || (now !== popularity && Math.abs(now - popularity) >= popularity * leastChange),
    )
  if (moved.length === 0) return
  await sql`
    UPDATE catalog SET popularity = moved.popularity, score = moved.score,
      stamp = CASE WHEN moved.is_card_outdated THEN nextval('catalog_stamps') ELSE stamp END
    FROM unnest(${moved.map(({ id }) => id)}::uuid[], ${moved.map(({ now }) => now)}::float8[],
      ${moved.map((post) => recommendedScore(post.published_at, post.now))}::float8[],
      ${moved.map(({ isCardOutdated }) => isCardOutdated)}::boolean[]) AS moved(id, popularity, score, is_card_outdated)
    WHERE catalog.post_id = moved.id`.execute(tx)
  // After the catalog, like all code that locks both. The trigger `describe_card` sets the columns.
  const outdated = moved.filter(({ isCardOutdated }) => isCardOutdated).map(({ id }) => id)
  if (outdated.length > 0) await sql`UPDATE catalog_cards SET card = card WHERE post_id = ANY(${outdated})`.execute(tx)
}

/** Sorts the terms of new posts into the index. Until then each search reads them one by one. */
export async function sortPendingTerms(db: Db): Promise<void> {
  await sql`SELECT gin_clean_pending_list('search_terms_by_term')`.execute(db)
}

/** How many posts of an older version are put on the list of stale posts at a time. */
const maxOutdated = 5_000

/**
 * Puts posts on the list of stale posts that an older version of the service saved: without the length of the text, or
 * without stems.
 */
export async function markOutdatedPosts(db: Db): Promise<void> {
  await sql`
    INSERT INTO catalog_stale (post_id, is_standing_only)
    SELECT post_id, true FROM (SELECT post_id FROM catalog_cards WHERE words IS NULL LIMIT ${maxOutdated}) uncounted
    UNION ALL
    SELECT post_id, false FROM (SELECT post_id FROM catalog WHERE NOT is_stemmed LIMIT ${maxOutdated}) unstemmed`.execute(
    db,
  )
}

/** A post whose catalog row is out of date: as a whole, or only in its ranking (`is_standing_only`). */
interface StalePost {
  readonly post_id: string
  readonly is_standing_only: boolean
}

interface Take {
  readonly most: number
  /** The newest mark to look at. */
  readonly upTo: string
  readonly accountId?: string | undefined
}

/**
 * Takes posts off the list whose ranking alone has changed, because of readers. Removes only marks of that kind: a post that is
 * also to be indexed stays on the list for that.
 */
export async function takeMovedPosts(tx: Tx, { most, upTo }: Pick<Take, 'most' | 'upTo'>): Promise<string[]> {
  const { rows } = await sql<{ post_id: string }>`
    WITH marked AS (
      SELECT post_id FROM catalog_stale WHERE is_standing_only AND id <= ${upTo} ORDER BY id LIMIT ${most}),
    taken AS (
      DELETE FROM catalog_stale WHERE id IN (
        SELECT id FROM catalog_stale WHERE is_standing_only AND post_id IN (SELECT post_id FROM marked) FOR UPDATE SKIP LOCKED)
      RETURNING post_id)
    SELECT DISTINCT post_id FROM taken`.execute(tx)
  return rows.map(({ post_id }) => post_id)
}

/** The newest mark on the list of stale posts. */
export async function newestMark(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT coalesce(max(id), 0) AS id FROM catalog_stale`.execute(db)
  return rows[0]!.id
}

/**
 * Takes stale posts off the list, of one author or of all. Every change adds a mark, so one that is made meanwhile puts its
 * post back on. Marks that another job is taking are skipped. What is to be indexed as a whole is locked, like by everyone who
 * writes its row.
 */
export async function takeStalePosts(tx: Tx, { most, upTo, accountId }: Take): Promise<StalePost[]> {
  const ofAuthor = sql`AND post_id IN (SELECT id FROM posts WHERE account_id = ${accountId} AND status = 'published')`
  const { rows } = await sql<StalePost>`
    WITH marked AS (
      SELECT post_id FROM catalog_stale WHERE id <= ${upTo} ${accountId ? ofAuthor : sql``} ORDER BY id LIMIT ${most}),
    taken AS (
      DELETE FROM catalog_stale WHERE id IN (
        SELECT id FROM catalog_stale WHERE post_id IN (SELECT post_id FROM marked) FOR UPDATE SKIP LOCKED)
      RETURNING post_id, is_standing_only)
    SELECT post_id, bool_and(is_standing_only) AS is_standing_only FROM taken GROUP BY post_id`.execute(tx)
  const whole = rows.filter((post) => !post.is_standing_only).map(({ post_id }) => post_id)
  await sql`SELECT FROM posts WHERE id = ANY(${whole}) ORDER BY id FOR NO KEY UPDATE`.execute(tx)
  return rows
}
