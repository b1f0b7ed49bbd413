import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { type RegistrationState, registrationMoves } from './registration-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    registrations: RegistrationTable
  }
}

interface RegistrationTable {
  id: string
  email: string
  name: string
  handle: string
  /** A hash of the IP address that started it. Null if an earlier version did. */
  client: Buffer | null
  state: RegistrationState
  account_id: string | null
  key_id: string | null
  created_at: Date
  expires_at: Date
  invitation_id: string | null
}

export type Registration = Selectable<RegistrationTable>

export const attemptLifeMs = 3_600_000

export const findRegistration = (db: Db | Tx, id: string): Promise<Registration | undefined> =>
  db.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirst()

export const lockRegistration = (tx: Tx, id: string): Promise<Registration | undefined> =>
  tx.selectFrom('registrations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** Adds a registration with this id. Returns undefined if the id is taken, as when the same request is sent twice. */
export const addRegistration = (
  tx: Tx,
  attempt: Pick<Registration, 'id' | 'email' | 'name' | 'handle' | 'client' | 'invitation_id'>,
  now: Date,
): Promise<Registration | undefined> =>
  tx
    .insertInto('registrations')
    .values({
      ...attempt,
      state: 'started',
      account_id: null,
      key_id: null,
      created_at: now,
      expires_at: new Date(now.getTime() + attemptLifeMs),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/**
 * Whether the same client has a later registration attempt for the mailbox. Only the code of the latest attempt is valid.
 * Attempts of others change nothing, or a stranger could keep a newcomer from registering.
 */
export async function isSuperseded(db: Db, { id, email, client, created_at }: Registration): Promise<boolean> {
  const later = await db
    .selectFrom('registrations')
    .select('id')
    .where('email', '=', email)
    .where('client', 'is not distinct from', client)
    .where('id', '<>', id)
    .where('created_at', '>', created_at)
    .executeTakeFirst()
  return later !== undefined
}

/** Deletes the codes of the same client's other registration attempts for the mailbox. */
export async function invalidateEarlierCodes(db: Db, { id, email, client }: Registration): Promise<void> {
  await sql`DELETE FROM email_codes WHERE purpose = 'registration' AND subject IN (
    SELECT other.id::text FROM registrations other
    WHERE other.email = ${email} AND other.client IS NOT DISTINCT FROM ${client} AND other.id <> ${id})`.execute(db)
}

/** Changes the state. Returns undefined if another request changed it first. */
export function moveRegistration(
  tx: Tx,
  id: string,
  move: keyof typeof registrationMoves,
  change: { readonly account_id?: string; readonly key_id?: string },
): Promise<Registration | undefined> {
  const { from, to } = registrationMoves[move]
  return tx
    .updateTable('registrations')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}
