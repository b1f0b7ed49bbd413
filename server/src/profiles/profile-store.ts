import type { Profile } from '@pennypost/contract/profiles'
import { type ColumnType, sql, type Updateable } from 'kysely'
import type pg from 'pg'
import { type ProfileRow, profileColumns } from '../accounts/caller-account.ts'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    profiles: ProfileTable
  }
}

// Lists are written as JSON text, because the driver would turn them into SQL arrays.
type Json<Value> = ColumnType<Value, string | undefined, string>

interface ProfileTable {
  account_id: ColumnType<string, string, never>
  bio: string | null
  location: string | null
  social_links: Json<Profile['socialLinks']>
  pinned_post_id: string | null
  avatar_url: string | null
  header_image_url: string | null
  tip_label: ColumnType<string, string | undefined, string>
  tip_amounts: Json<number[]>
}

const profileOfAccount: Statement<ProfileRow> = {
  name: 'profile-of-account',
  text: `SELECT ${profileColumns} FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = $1`,
}

const handleInUse: Statement<{ taken: boolean }> = {
  name: 'handle-in-use',
  text: 'SELECT EXISTS (SELECT FROM accounts WHERE lower(handle) = lower($1)) OR is_retired_handle($1) AS taken',
}

export const findProfile = async (pool: pg.Pool, accountId: string): Promise<ProfileRow | undefined> =>
  (await readRows(pool, profileOfAccount, [accountId]))[0]

export async function isHandleInUse(pool: pg.Pool, handle: string): Promise<boolean> {
  const [row] = await readRows(pool, handleInUse, [handle])
  return row?.taken === true
}

export async function isHandleOfAnother(tx: Tx, accountId: string, handle: string): Promise<boolean> {
  const other = await tx
    .selectFrom('accounts')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['handle']), '=', handle.toLowerCase()))
    .where('id', '<>', accountId)
    .executeTakeFirst()
  return other !== undefined
}

export type ProfileChange = Omit<Updateable<ProfileTable>, 'account_id'>

/** Saves changed fields. The first change inserts the row. */
export async function saveProfile(tx: Tx, accountId: string, change: ProfileChange): Promise<void> {
  await tx
    .insertInto('profiles')
    .values({ account_id: accountId, ...change })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(change))
    .execute()
}

/** Saves the path of an image, or null to remove it. Only the path is stored; views add the origin. */
export async function showProfileImage(
  tx: Tx,
  accountId: string,
  kind: 'avatar' | 'header',
  path: string | null,
): Promise<void> {
  const change = kind === 'avatar' ? { avatar_url: path } : { header_image_url: path }
  if (path !== null) return saveProfile(tx, accountId, change)
  await tx.updateTable('profiles').set(change).where('account_id', '=', accountId).execute()
}

/** Removes an image from the profile, if it is the one shown. */
export async function hideProfileImage(
  tx: Tx,
  accountId: string,
  kind: 'avatar' | 'header',
  path: string,
): Promise<void> {
  const column = kind === 'avatar' ? 'avatar_url' : 'header_image_url'
  await tx
    .updateTable('profiles')
    .set({ [column]: null })
    .where('account_id', '=', accountId)
    .where(column, '=', path)
    .execute()
}

/** Whether the account owns this post and it is published. Only then can it be pinned. */
export async function ownsPublishedPost(tx: Tx, accountId: string, postId: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM posts WHERE id = ${postId} AND account_id = ${accountId} AND status = 'published' FOR SHARE`.execute(
      tx,
    )
  return rows.length > 0
}

export async function unpinPost(tx: Tx, postId: string): Promise<void> {
  await tx.updateTable('profiles').set({ pinned_post_id: null }).where('pinned_post_id', '=', postId).execute()
}
