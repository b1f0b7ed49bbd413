import { randomInt, randomUUID } from 'node:crypto'
import { unauthorized } from '@pennypost/contract/errors'
import { defaultName } from '@pennypost/contract/handle'
import { handleConflict } from '@pennypost/contract/registrations'
import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { createPreferences } from '../notifications/preference-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    accounts: AccountTable
  }
}

interface AccountTable {
  id: string
  name: string
  handle: string
  author_kind: 'human' | 'agent'
  is_anonymous: boolean
  is_admin: boolean
  email: string | null
  email_confirmed_at: Date | null
  created_at: Date
  suspended_at: Date | null
  deleted_at: Date | null
}

export type Account = Selectable<AccountTable>

// By name, so that the plan of a statement is kept: see statement-names.ts.
const columns = [
  'id',
  'name',
  'handle',
  'author_kind',
  'is_anonymous',
  'is_admin',
  'email',
  'email_confirmed_at',
  'created_at',
  'suspended_at',
  'deleted_at',
] as const

export const findAccount = (db: Db | Tx, id: string): Promise<Account | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()

export const findAccountByEmail = (db: Db | Tx, email: string): Promise<Account | undefined> =>
  db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst()

/** Locks an account against other changes. Rows that only reference it can still be inserted. */
export const lockAccount = (tx: Tx, id: string): Promise<Account> =>
  tx.selectFrom('accounts').select(columns).where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow()

/** Locks the account of a request. Refuses if it was deleted after the request was authenticated. */
export async function lockOwnAccount(tx: Tx, id: string): Promise<Account> {
  const account = await lockAccount(tx, id)
  return account.deleted_at === null ? account : refuse(unauthorized)
}

export const findAccountForUpdate = (tx: Tx, id: string): Promise<Account | undefined> =>
  tx.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export const updateAccount = (
  tx: Tx,
  id: string,
  change: Partial<Pick<Account, 'suspended_at' | 'author_kind'>>,
): Promise<Account> =>
  tx.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

interface AccountsQuery {
  readonly prefix: string
  readonly isSuspended: boolean | undefined
  /** The last handle of the previous page, in lower case. */
  readonly after: string | undefined
  readonly limit: number
}

/** Lists accounts whose handle starts with this text, ordered by handle. */
export async function listAccountsByHandle(db: Db, query: AccountsQuery): Promise<Account[]> {
  const { rows } = await sql<Account>`
    SELECT * FROM accounts
    WHERE starts_with(lower(handle), ${query.prefix.toLowerCase()})
      AND lower(handle) >= ${query.prefix.toLowerCase()} AND lower(handle) > ${query.after ?? ''}
      AND (${query.isSuspended ?? null}::boolean IS NULL OR (suspended_at IS NOT NULL) = ${query.isSuspended ?? null}::boolean)
    ORDER BY lower(handle) LIMIT ${query.limit}`.execute(db)
  return rows
}

export interface NewAccount {
  readonly name?: string
  /** The preferred handle. If it is taken, the account gets a generated one until its owner chooses another. */
  readonly handle?: string
  readonly email?: string
  readonly isAnonymous: boolean
  readonly now: Date
}

/** Creates an account. Returns undefined if another account has the email. */
export async function createAccount(tx: Tx, input: NewAccount): Promise<Account | undefined> {
  const row = {
    id: randomUUID(),
    name: input.name ?? defaultName,
    author_kind: 'human',
    is_anonymous: input.isAnonymous,
    is_admin: false,
    email: input.email ?? null,
    email_confirmed_at: input.email ? input.now : null,
    created_at: input.now,
    suspended_at: null,
    deleted_at: null,
  } as const
  // Try the preferred handle first, then generated ones. The chance that all of those are taken is negligible.
  for (const handle of [input.handle ?? generatedHandle(), generatedHandle(), generatedHandle(), generatedHandle()]) {
    const created = await tx
      .insertInto('accounts')
      .values({ ...row, handle })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (created) {
      await createPreferences(tx, created.id, { hasConfirmedEmail: input.email !== undefined })
      return created
    }
    if (input.email && (await findAccountByEmail(tx, input.email))) return undefined
  }
  throw new Error('no free handle could be generated')
}

/** Generates a default handle: `user_` plus six random characters. */
function generatedHandle(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return `user_${Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')}`
}

export const isGeneratedHandle = (handle: string): boolean => handle.startsWith('user_')

/** Changes name or handle. The unique index, which ignores case, decides who gets a handle. */
export async function renameAccount(
  tx: Tx,
  id: string,
  change: { readonly name?: string; readonly handle?: string },
): Promise<Account> {
  try {
    return await tx.updateTable('accounts').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_handle')) return refuseTakenHandle()
    throw error
  }
}

export const refuseTakenHandle = (): never =>
  refuse(handleConflict, { errors: [{ field: 'handle', code: 'taken', message: 'is already used' }] })

export const isUniqueViolation = (error: unknown, constraint: string): boolean => {
  const { code, constraint: broken } = error as pg.DatabaseError
  return code === '23505' && broken === constraint
}

/** Labels an account as an AI agent, at its own request. Only an administrator can remove the label. */
export async function labelAsAgent(db: Db | Tx, id: string): Promise<void> {
  await db.updateTable('accounts').set({ author_kind: 'agent' }).where('id', '=', id).execute()
}

/** Makes an account an administrator. Returns false if the account does not exist. */
export async function makeAccountAdmin(db: Db | Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ is_admin: true })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Deletes anonymous accounts that were created before this time and are empty: no purchase, checkout, key, wallet,
 * post, upload, comment or report, and no live session. An account with financial history is never deleted.
 */
export async function removeEmptyGuests(db: Db, before: Date, now: Date): Promise<void> {
  // As text: a Date has only milliseconds.
  let after = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const { rows } = await sql<typeof after>`SELECT created_at::text AS at, id FROM accounts
      WHERE is_anonymous AND deleted_at IS NULL AND created_at < ${before} AND (created_at, id) > (${after.at}::timestamptz, ${after.id})
      ORDER BY created_at, id LIMIT ${batchSize}`.execute(db)
    const last = rows.at(-1)
    if (!last) return
    after = last
    await removeIfEmpty(
      db,
      rows.map(({ id }) => id),
      now,
    )
  }
}

// Each of dozens of foreign keys is checked for each account, and a statement that takes longer than ten seconds is cancelled.
const batchSize = 100

const removeIfEmpty = (db: Db, ids: readonly string[], now: Date): Promise<unknown> =>
  sql`DELETE FROM accounts guest WHERE id = ANY(${ids}::uuid[])
    AND NOT EXISTS (SELECT FROM orders WHERE payer_id = guest.id)
    AND NOT EXISTS (SELECT FROM orders WHERE payee_id = guest.id)
    AND NOT EXISTS (SELECT FROM entitlements WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM x402_payments WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM orders WHERE claimed_by = guest.id)
    AND NOT EXISTS (SELECT FROM checkouts WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM publishing_keys WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM wallets WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM posts WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM upload_operations WHERE account_id = guest.id)
    AND NOT EXISTS (SELECT FROM comments WHERE author_id = guest.id)
    AND NOT EXISTS (SELECT FROM reports WHERE reporter_id = guest.id)
    AND NOT EXISTS (SELECT FROM sessions WHERE account_id = guest.id AND ended_at IS NULL AND expires_at > ${now})`.execute(
    db,
  )
