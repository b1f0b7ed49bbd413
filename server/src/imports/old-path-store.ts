import { normalPath } from '@pennypost/contract/imported-post'
import { canonicalPostPath } from '@pennypost/site/paths'
import { sql } from 'kysely'
import type pg from 'pg'
import { accountOfHandle } from '../accounts/account-of-handle.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'

/**
 * Replaces the old paths of a post. A path that another post has stays with it: of the account under `/@{handle}`, of all
 * accounts for a path without prefix.
 */
export async function replaceOldPaths(
  tx: Tx,
  { accountId, postId, ofSite }: { readonly accountId: string; readonly postId: string; readonly ofSite: boolean },
  paths: readonly string[],
): Promise<void> {
  // Site paths belong to everyone: two administrators who claim the same path take turns.
  if (ofSite) await sql`SELECT pg_advisory_xact_lock(hashtext('old_paths_of_site'))`.execute(tx)
  await sql`DELETE FROM old_paths WHERE post_id = ${postId} AND path <> ALL (${paths}::text[])`.execute(tx)
  await sql`
    INSERT INTO old_paths (account_id, path, post_id, is_of_site)
    SELECT ${accountId}, path, ${postId}, ${ofSite} AND NOT EXISTS (
      SELECT FROM old_paths taken WHERE taken.path = wanted.path AND taken.is_of_site)
    FROM unnest(${[...new Set(paths)]}::text[]) AS wanted (path)
    ON CONFLICT DO NOTHING`.execute(tx)
}

/** The paths of this site that lead to each of these posts. */
export async function redirectsOf(
  db: Db | Tx,
  postIds: readonly string[],
  handle: string,
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ post_id: string; path: string; is_of_site: boolean }>`
    SELECT post_id, path, is_of_site FROM old_paths WHERE post_id = ANY (${postIds}::uuid[]) ORDER BY path`.execute(db)
  const found = new Map<string, string[]>(postIds.map((id) => [id, []]))
  for (const { post_id, path, is_of_site } of rows)
    found.get(post_id)!.push(`/@${handle}${path}`, ...(is_of_site ? [path] : []))
  return found
}

interface OldPathTarget {
  readonly id: string
  readonly handle: string
  readonly slug: string
}

const select = `SELECT post.id, account.handle, post.slug FROM old_paths old JOIN posts post ON post.id = old.post_id
  JOIN accounts account ON account.id = post.account_id WHERE post.status = 'published'`

const ofAuthor: Statement<OldPathTarget> = {
  name: 'old-path-of-author',
  text: `${select} AND old.account_id = ${accountOfHandle('$1')} AND old.path = $2`,
}
const ofSite: Statement<OldPathTarget> = {
  name: 'old-path-of-site',
  text: `${select} AND old.is_of_site AND old.path = $1`,
}
const anyOfSite: Statement<{ exists: boolean }> = {
  name: 'any-old-path-of-site',
  text: 'SELECT EXISTS (SELECT FROM old_paths WHERE is_of_site) AS exists',
}

async function targetOfAuthor(pool: pg.Pool, handle: string, path: string): Promise<OldPathTarget | undefined> {
  const normal = normalPath(path)
  return normal === undefined ? undefined : (await readRows(pool, ofAuthor, [handle, normal]))[0]
}

/** The id of the post that an author had at this path. */
export const findOldPathOfAuthor = async (pool: pg.Pool, handle: string, path: string): Promise<string | undefined> =>
  (await targetOfAuthor(pool, handle, path))?.id

const lookAgainMs = 10_000

/**
 * Finds the redirect for a path that this site has no page for. Most sites have no paths without prefix, and robots try
 * thousands: whether there are any is looked up every ten seconds only.
 */
export function createRedirects({ pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock }) {
  let known = { hasAny: false, until: 0 }
  const hasSitePaths = async (): Promise<boolean> => {
    const now = clock.now().getTime()
    if (now < known.until) return known.hasAny
    known = { ...known, until: now + lookAgainMs }
    const [found] = await readRows(pool, anyOfSite, [])
    known = { hasAny: found?.exists === true, until: now + lookAgainMs }
    return known.hasAny
  }
  return async (path: string): Promise<string | undefined> => {
    if (path.startsWith('/api/')) return undefined
    const [, handle, rest] = /^\/@([A-Za-z0-9_]{4,30})(\/.+)$/.exec(path) ?? []
    if (handle !== undefined) {
      const place = await targetOfAuthor(pool, handle, rest!)
      return place && canonicalPostPath(place)
    }
    const normal = normalPath(path)
    if (normal === undefined || !(await hasSitePaths())) return undefined
    const [place] = await readRows(pool, ofSite, [normal])
    return place && canonicalPostPath(place)
  }
}
