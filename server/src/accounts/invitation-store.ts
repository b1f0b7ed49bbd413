import { invitationRequired, registrationClosed } from '@pennypost/contract/invitations'
import type { RegistrationMode } from '@pennypost/contract/site-settings'
import { type Selectable, sql } from 'kysely'
import { boundSecret } from '../platform/bound-secret.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { AccountServices } from './services.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    invitations: InvitationTable
  }
}

interface InvitationTable {
  id: string
  label: string | null
  max_uses: number
  used_count: number
  created_by: string
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
}

export type Invitation = Selectable<InvitationTable>

export const invitationCode = boundSecret('svciv_', 'invitation')

export async function addInvitation(tx: Tx, invitation: Invitation): Promise<void> {
  await tx.insertInto('invitations').values(invitation).execute()
}

const maxListed = 100

export const listNewestInvitations = (db: Db): Promise<Invitation[]> =>
  db.selectFrom('invitations').selectAll().orderBy('created_at', 'desc').orderBy('id').limit(maxListed).execute()

export const lockInvitation = (tx: Tx, id: string): Promise<Invitation | undefined> =>
  tx.selectFrom('invitations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const endInvitation = (tx: Tx, id: string, now: Date): Promise<Invitation> =>
  tx.updateTable('invitations').set({ revoked_at: now }).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** The id of the invitation with this code, if it can still be used. */
export async function findInvitation(
  { db, secrets, clock }: Pick<AccountServices, 'db' | 'secrets' | 'clock'>,
  code: string | undefined,
): Promise<string | null> {
  const id = code === undefined ? undefined : invitationCode.readId(secrets, code)
  if (id === undefined) return null
  const { rows } = await sql<{ id: string }>`SELECT id FROM invitations
    WHERE id = ${id} AND revoked_at IS NULL AND expires_at > ${clock.now()} AND used_count < max_uses`.execute(db)
  return rows[0]?.id ?? null
}

/**
 * Refuses an account that the site does not admit, in the transaction that created it. Uses up the invitation if one is
 * needed. It may have ended since the person began to sign up.
 */
export async function admitNewAccount(
  tx: Tx,
  registration: RegistrationMode,
  invitationId: string | null,
  now: Date,
): Promise<void> {
  if (registration === 'open') return
  if (registration === 'closed') refuse(registrationClosed)
  const { rows } = await sql`UPDATE invitations SET used_count = used_count + 1
    WHERE id = ${invitationId} AND revoked_at IS NULL AND expires_at > ${now} AND used_count < max_uses
    RETURNING id`.execute(tx)
  if (rows.length === 0) refuse(invitationRequired)
}
