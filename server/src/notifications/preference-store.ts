import type { Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    notification_preferences: { account_id: string; email_notifications: boolean }
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
    .execute()
}

/** §6: when the confirmed address is removed or changed, delivery by mail is off until its owner switches it on again. */
export async function switchOffEmailDelivery(tx: Tx, accountId: string): Promise<void> {
  await tx
    .insertInto('notification_preferences')
    .values({ account_id: accountId, email_notifications: false })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ email_notifications: false }))
    .execute()
}
