import { isReservedHandle } from '@pennypost/contract/handle'
import type pg from 'pg'
import { type ProfileRow, profileColumns } from '../accounts/caller-account.ts'
import { type Collection, findCollection } from '../discovery/public-post-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

const creatorByHandle: Statement<ProfileRow> = {
  name: 'site-creator-by-handle',
  text: `SELECT ${profileColumns} FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id
    WHERE lower(a.handle) = lower($1)`,
}

/** Whoever chose a handle. A handle that was given out names an account that said nothing about itself yet. */
export const findCreator = async (pool: pg.Pool, handle: string): Promise<ProfileRow | undefined> =>
  isReservedHandle(handle) ? undefined : (await readRows(pool, creatorByHandle, [handle]))[0]

const tagBySlug: Statement<{ id: string }> = {
  name: 'site-tag-by-slug',
  text: `SELECT tag.id FROM tags tag JOIN accounts account ON account.id = tag.account_id
    WHERE lower(account.handle) = lower($1) AND tag.slug = $2`,
}

/** A creator's tag that a published Post has; one without is not public. */
export async function findPublicCollection(
  pool: pg.Pool,
  handle: string,
  slug: string,
): Promise<Collection | undefined> {
  // Slugs are in lower case.
  const [found] = await readRows(pool, tagBySlug, [handle, slug.toLowerCase()])
  const tag = found && (await findCollection(pool, found.id))
  return tag && tag.total > 0 ? tag : undefined
}
