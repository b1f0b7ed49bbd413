import { randomBytes } from 'node:crypto'
import { deletedHandlePrefix, deletedName } from '@pennypost/contract/deleted-account'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import type { Account } from './account-store.ts'

/**
 * Takes the name, the email address and every way to sign in from an account. The row stays, because records of payments
 * refer to it, and nobody gets its handle again. The caller holds the lock on the account.
 */
export async function closeAccount(tx: Tx, account: Account, now: Date): Promise<void> {
  const { id, handle } = account
  await sql`
    INSERT INTO retired_handles (handle_hash, retired_at)
    VALUES (sha256(convert_to(lower(${handle}), 'UTF8')), ${now}) ON CONFLICT DO NOTHING`.execute(tx)
  await sql`
    UPDATE accounts SET name = ${deletedName}, handle = ${deletedHandlePrefix + randomBytes(6).toString('hex')},
      email = NULL, email_confirmed_at = NULL, author_kind = 'human', is_admin = false, is_anonymous = true,
      has_published = false, suspended_at = coalesce(suspended_at, ${now}), deleted_at = ${now}
    WHERE id = ${id}`.execute(tx)
  // A trigger remembers a handle that changes, to redirect its links.
  await sql`DELETE FROM former_handles WHERE account_id = ${id}`.execute(tx)
  await removeLogins(tx, id)
}

/** Removes every login, including those that a concurrent request added after the account was closed. */
export async function removeLogins(tx: Tx, accountId: string): Promise<void> {
  for (const table of [
    'sessions',
    'email_changes',
    // Contains the email address and the first name, and refers to a key.
    'registrations',
    'publishing_keys',
    'oauth_grants',
    'wallets',
    'guest_wallets',
    'wallet_challenges',
    'wallet_transfers',
  ])
    await sql`DELETE FROM ${sql.table(table)} WHERE account_id = ${accountId}`.execute(tx)
  await sql`DELETE FROM email_codes WHERE purpose IN ('email_change', 'export', 'deletion')
    AND subject LIKE ${`${accountId} %`}`.execute(tx)
}

/** Whether another account is an administrator. Deletions of administrators wait for each other. */
export async function hasOtherAdmin(tx: Tx, accountId: string): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('last administrator'))`.execute(tx)
  const { rows } =
    await sql`SELECT FROM accounts WHERE is_admin AND suspended_at IS NULL AND id <> ${accountId} LIMIT 1`.execute(tx)
  return rows.length > 0
}

export async function isDeleted(tx: Tx, accountId: string | null): Promise<boolean> {
  if (accountId === null) return false
  const { rows } = await sql`SELECT FROM accounts WHERE id = ${accountId} AND deleted_at IS NOT NULL`.execute(tx)
  return rows.length > 0
}
