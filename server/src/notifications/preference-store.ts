import type { EmailSwitch, NotificationPreferences, PreferenceKey } from '@pennypost/contract/notification-preferences'
import { preferenceKeys } from '@pennypost/contract/notification-preferences'
import { type ColumnType, sql } from 'kysely'
import type pg from 'pg'
import { readRows, type Statement, type Tx } from '../platform/database/database.ts'
import { cancelMail } from './delivery-store.ts'

// What a switch begins as is the column's default.
type Switches = { [Key in PreferenceKey]: ColumnType<boolean, boolean | undefined, boolean> }

declare module '../platform/database/tables.ts' {
  interface Tables {
    notification_preferences: { account_id: string } & Switches
  }
}

/** Decisions §8: email is on where the account began with a confirmed address. */
export async function startPreferences(
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
  if (!row) throw new Error('an account without preferences')
  return row
}

export const lockPreferences = (tx: Tx, accountId: string): Promise<NotificationPreferences> =>
  tx
    .selectFrom('notification_preferences')
    .select([...preferenceKeys])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow()

export const changePreferences = (
  tx: Tx,
  accountId: string,
  change: { readonly [Key in PreferenceKey]?: boolean | undefined },
): Promise<NotificationPreferences> =>
  tx
    .updateTable('notification_preferences')
    .set(change)
    .where('account_id', '=', accountId)
    .returning([...preferenceKeys])
    .executeTakeFirstOrThrow()

/** Whether the account has a confirmed address; it keeps it until the transaction ends. */
export const holdsConfirmedEmail = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await holdAddress(tx, accountId)) !== undefined

/** Where the account is mailed to; it stays so until the transaction ends. */
export async function holdAddress(tx: Tx, accountId: string): Promise<string | undefined> {
  const { rows } = await sql<{ email: string }>`
    SELECT email FROM accounts WHERE id = ${accountId} AND email IS NOT NULL FOR SHARE`.execute(tx)
  return rows[0]?.email
}

/** §6: when the confirmed address is removed or changed, delivery by mail is off until its owner switches it on again. */
export async function switchOffEmailDelivery(tx: Tx, accountId: string, now: Date): Promise<void> {
  await changePreferences(tx, accountId, { email_notifications: false })
  await cancelMail(tx, accountId, now)
}

/** One click in a mail: no more mail of that kind, or none at all. */
export const switchOffMail = (tx: Tx, accountId: string, key: EmailSwitch | 'email_notifications') =>
  changePreferences(tx, accountId, { [key]: false })
