import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { lockAccount } from './account-store.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    email_changes: EmailChangeTable
  }
}

interface EmailChangeTable {
  account_id: string
  email: string
  token_hash: Buffer | null
  token_expires_at: Date | null
  requested_at: Date
}

export type EmailChange = Selectable<EmailChangeTable>

export const findEmailChange = (db: Db | Tx, accountId: string): Promise<EmailChange | undefined> =>
  db.selectFrom('email_changes').selectAll().where('account_id', '=', accountId).executeTakeFirst()

/** Saves a requested email change. It replaces an earlier request, whose link stops working. */
export async function saveEmailChange(tx: Tx, accountId: string, email: string, now: Date): Promise<void> {
  const change = { email, token_hash: null, token_expires_at: null, requested_at: now }
  await tx
    .insertInto('email_changes')
    .values({ account_id: accountId, ...change })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(change))
    .execute()
}

const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export const saveLink = (db: Db, accountId: string, email: string, token: string, expiresAt: Date): Promise<unknown> =>
  db
    .updateTable('email_changes')
    .set({ token_hash: hashOfToken(token), token_expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('email', '=', email)
    .execute()

/**
 * Finds the email change that a link belongs to and locks its account. The change is read again under the lock. The
 * account is always locked before its email change, so two requests cannot deadlock.
 */
export async function lockChangeByLink(tx: Tx, token: string, now: Date): Promise<EmailChange | undefined> {
  const byLink = tx
    .selectFrom('email_changes')
    .selectAll()
    .where('token_hash', '=', hashOfToken(token))
    .where('token_expires_at', '>', now)
  const found = await byLink.executeTakeFirst()
  if (!found) return undefined
  await lockAccount(tx, found.account_id)
  return byLink.executeTakeFirst()
}

export const deleteEmailChange = (tx: Tx, accountId: string): Promise<unknown> =>
  tx.deleteFrom('email_changes').where('account_id', '=', accountId).execute()
