import type { Profile } from '@pennypost/contract/profiles'
import { type ColumnType, sql, type Updateable } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    profiles: ProfileTable
  }
}

// Lists are written as JSON text: the driver would make an SQL array of them.
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

/** An account with what it says about itself; the last three are null until it says something. */
export interface ProfileRow {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly bio: string | null
  readonly location: string | null
  readonly pinned_post_id: string | null
  readonly avatar_url: string | null
  readonly header_image_url: string | null
  readonly social_links: Profile['socialLinks'] | null
  readonly tip_label: string | null
  readonly tip_amounts: number[] | null
}

/** All that `me` tells, in one row. */
export interface MeRow extends ProfileRow {
  readonly is_admin: boolean
  readonly email: string | null
  readonly email_confirmed_at: Date | null
  readonly nano_address: string | null
  readonly nano_updated_at: Date | null
  readonly base_address: string | null
  readonly base_updated_at: Date | null
}

const profileColumns = `a.id, a.name, a.handle, a.author_kind, p.bio, p.location, p.pinned_post_id, p.avatar_url,
  p.header_image_url, p.social_links, p.tip_label, p.tip_amounts`

const profileOfAccount: Statement<ProfileRow> = {
  name: 'profile-of-account',
  text: `SELECT ${profileColumns} FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = $1`,
}

const meOfAccount: Statement<MeRow> = {
  name: 'me-of-account',
  text: `SELECT ${profileColumns}, a.is_admin, a.email, a.email_confirmed_at,
      nano.address AS nano_address, nano.updated_at AS nano_updated_at,
      base.address AS base_address, base.updated_at AS base_updated_at
    FROM accounts a
    LEFT JOIN profiles p ON p.account_id = a.id
    LEFT JOIN receiving_addresses nano ON nano.account_id = a.id AND nano.rail = 'nano'
    LEFT JOIN receiving_addresses base ON base.account_id = a.id AND base.rail = 'base'
    WHERE a.id = $1`,
}

const handleInUse: Statement<{ taken: boolean }> = {
  name: 'handle-in-use',
  text: 'SELECT EXISTS (SELECT FROM accounts WHERE lower(handle) = lower($1)) AS taken',
}

export const findProfile = async (pool: pg.Pool, accountId: string): Promise<ProfileRow | undefined> =>
  (await readRows(pool, profileOfAccount, [accountId]))[0]

export const findMe = async (pool: pg.Pool, accountId: string): Promise<MeRow | undefined> =>
  (await readRows(pool, meOfAccount, [accountId]))[0]

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

/** Writes what changed; the first change makes the row. */
export async function saveProfile(tx: Tx, accountId: string, change: ProfileChange): Promise<void> {
  await tx
    .insertInto('profiles')
    .values({ account_id: accountId, ...change })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(change))
    .execute()
}

export async function clearHeaderImage(db: Db, accountId: string): Promise<void> {
  await db.updateTable('profiles').set({ header_image_url: null }).where('account_id', '=', accountId).execute()
}

/** §2: only an owned published Post can be pinned. Another room's table: read, never written here. */
export async function ownsPublishedPost(tx: Tx, accountId: string, postId: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM posts WHERE id = ${postId} AND account_id = ${accountId} AND status = 'published' FOR SHARE`.execute(
      tx,
    )
  return rows.length > 0
}

export async function hasPublishedPost(tx: Tx, accountId: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM posts WHERE account_id = ${accountId} AND status = 'published' LIMIT 1`.execute(tx)
  return rows.length > 0
}

export async function unpinPost(tx: Tx, postId: string): Promise<void> {
  await tx.updateTable('profiles').set({ pinned_post_id: null }).where('pinned_post_id', '=', postId).execute()
}
