import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { boundSecret } from '../platform/bound-secret.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'

const claimToken = boundSecret('svcac_', 'admin-claim')

/**
 * The token that makes an account the first administrator. Undefined if there is an administrator or the token was used:
 * `pennypost admin add` makes further ones. The token is derived, so every start prints the same one.
 */
export async function findClaimToken(db: Db, secrets: Secrets): Promise<string | undefined> {
  await sql`INSERT INTO admin_claim (id) VALUES (${randomUUID()}) ON CONFLICT (slot) DO NOTHING`.execute(db)
  const { rows } = await sql<{ id: string }>`SELECT id FROM admin_claim
    WHERE used_at IS NULL AND NOT EXISTS (SELECT FROM accounts WHERE is_admin)`.execute(db)
  return rows[0] && claimToken.of(secrets, rows[0].id)
}

/** Whether the site has been claimed. */
export async function hasAdmin(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT FROM accounts WHERE is_admin LIMIT 1`.execute(db)
  return rows.length > 0
}

export type Claim = 'granted' | 'admin-exists' | 'wrong-token'

/** Makes the account an administrator if the token is right. Of parallel claims, the first wins. */
export async function claim(
  tx: Tx,
  secrets: Secrets,
  { accountId, token, now }: { readonly accountId: string; readonly token: string; readonly now: Date },
): Promise<Claim> {
  const id = claimToken.readId(secrets, token)
  if (id === undefined) return 'wrong-token'
  const { rows } = await sql<{ used_at: Date | null; has_admin: boolean }>`
    SELECT used_at, EXISTS (SELECT FROM accounts WHERE is_admin) AS has_admin FROM admin_claim
    WHERE id = ${id} FOR UPDATE`.execute(tx)
  if (!rows[0]) return 'wrong-token'
  if (rows[0].used_at !== null || rows[0].has_admin) return 'admin-exists'
  await sql`UPDATE admin_claim SET used_at = ${now}, used_by = ${accountId}`.execute(tx)
  await sql`UPDATE accounts SET is_admin = true WHERE id = ${accountId}`.execute(tx)
  return 'granted'
}
