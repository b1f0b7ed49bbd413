import type { EmailSwitch, NotificationPreferences, PreferenceKey } from '@pennypost/contract/notification-preferences'
import { preferenceKeys } from '@pennypost/contract/notification-preferences'
import { type ColumnType, sql } from 'kysely'
import type pg from 'pg'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'
import { cancelEmails } from './delivery-store.ts'

// The default of each switch is the default of its column.
type Switches = { [Key in PreferenceKey]: ColumnType<boolean, boolean | undefined, boolean> }

declare module '../platform/database/tables.ts' {
  interface Tables {
    notification_preferences: { account_id: string } & Switches
  }
}

/** Creates an account's preferences. Email starts switched on only if the account has a confirmed address. */
export async function createPreferences(
  tx: Tx,
  accountId: string,
  { hasConfirmedEmail }: { hasConfirmedEmail: boolean },
): Promise<void> {
  await tx
    .insertInto('notification_preferences')
    .values({ account_id: accountId, email_notifications: hasConfirmedEmail })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const preferencesOfAccount: Statement<NotificationPreferences> = {
  name: 'notification-preferences',
  text: `SELECT ${preferenceKeys.join(', ')} FROM notification_preferences WHERE account_id = $1`,
}

export async function readPreferences(pool: pg.Pool, accountId: string): Promise<NotificationPreferences> {
  const [row] = await readRows(pool, preferencesOfAccount, [accountId])
  if (!row) throw new Error('the account has no notification preferences')
  return row
}

export const lockPreferences = (tx: Tx, accountId: string): Promise<NotificationPreferences> =>
  tx
    .selectFrom('notification_preferences')
    .select([...preferenceKeys])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()

/** One statement for every change: frequent statements are prepared under a name, and there are few names. */
export const changePreferences = (
  tx: Tx,
  accountId: string,
  change: { readonly [Key in PreferenceKey]?: boolean | undefined },
): Promise<NotificationPreferences> =>
  tx
    .updateTable('notification_preferences')
    .set(
      Object.fromEntries(
        preferenceKeys.map((key) => [key, sql`coalesce(${change[key] ?? null}::boolean, ${sql.ref(key)})`]),
      ),
    )
    .where('account_id', '=', accountId)
    .returning([...preferenceKeys])
    .executeTakeFirstOrThrow()

/** The account's confirmed address, locked until the transaction ends. */
export async function lockConfirmedEmail(tx: Tx, accountId: string): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    SELECT email FROM accounts WHERE id = ${accountId} AND email IS NOT NULL FOR SHARE`.execute(tx)
  return rows[0]?.email
}

/** Called when the confirmed address changes or is removed. Email stays off until the owner switches it on again. */
export async function turnOffEmail(tx: Tx, accountId: string, now: Date): Promise<void> {
  await changePreferences(tx, accountId, { email_notifications: false })
  await cancelEmails(tx, accountId, now)
}

/** Unsubscribes from email of one kind, or from all of it. */
export const turnOffEmailSwitch = (tx: Tx, accountId: string, key: EmailSwitch | 'email_notifications') =>
  changePreferences(tx, accountId, { [key]: false })
