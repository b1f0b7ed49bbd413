import { randomUUID } from 'node:crypto'
import type { WebhookEventType } from '@pennypost/contract/webhooks'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    webhooks: WebhookTable
  }
}

interface WebhookTable {
  id: string
  account_id: string
  url: string
  events: WebhookEventType[]
  description: string | null
  secret_version: number
  previous_secret_until: Date | null
  disabled_reason: 'owner' | 'gone' | 'failing' | null
  failing_since: Date | null
  paused_until: Date | null
  created_at: Date
}

export type WebhookRow = Selectable<WebhookTable>

export const listOwnWebhooks = (db: Db, accountId: string): Promise<WebhookRow[]> =>
  db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findOwnWebhook = (db: Db, accountId: string, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()

/** Locks a webhook, so that it is not deleted or disabled until the transaction ends. */
export const lockOwnWebhook = (tx: Tx, accountId: string, id: string): Promise<WebhookRow | undefined> =>
  tx
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()

type NewWebhook = Pick<WebhookRow, 'account_id' | 'url' | 'events' | 'description' | 'created_at'>

/** Adds a webhook unless the account has `most` of them. Two requests at a time are counted one after the other. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook, most: number): Promise<WebhookRow | undefined> {
  await sql`SELECT FROM accounts WHERE id = ${webhook.account_id} FOR NO KEY UPDATE`.execute(tx)
  if ((await listOwnWebhooks(tx, webhook.account_id)).length >= most) return undefined
  const values = { ...webhook, id: randomUUID(), secret_version: 1 }
  return tx
    .insertInto('webhooks')
    .values({ ...values, previous_secret_until: null, disabled_reason: null, failing_since: null, paused_until: null })
    .returningAll()
    .executeTakeFirstOrThrow()
}

type Changeable = Pick<
  WebhookRow,
  'url' | 'events' | 'description' | 'disabled_reason' | 'failing_since' | 'paused_until'
>
type Change = { readonly [Field in keyof Changeable]?: Changeable[Field] | undefined }

export const changeOwnWebhook = (
  db: Db,
  accountId: string,
  id: string,
  change: Change,
): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    // Includes the id, because an empty change is allowed and returns the row.
    .set({ id, ...change })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst()

export const replaceOwnSecret = (
  db: Db,
  accountId: string,
  id: string,
  previousUntil: Date,
): Promise<WebhookRow | undefined> =>
  db
    .updateTable('webhooks')
    .set({ secret_version: sql`secret_version + 1`, previous_secret_until: previousUntil })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst()

export async function deleteOwnWebhook(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Disables a webhook that does not work, unless it is disabled already. Returns whether this did it. */
export async function disableWebhook(tx: Tx, id: string, reason: 'gone' | 'failing'): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhooks')
    .set({ disabled_reason: reason })
    .where('id', '=', id)
    .where('disabled_reason', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends the pause of a webhook: something was delivered, or its owner wants to try now. */
export const endPause = (tx: Tx, id: string, change: { failing_since?: null } = {}): Promise<unknown> =>
  tx
    .updateTable('webhooks')
    .set({ paused_until: null, ...change })
    .where('id', '=', id)
    .where((column) => column.or([column('failing_since', 'is not', null), column('paused_until', 'is not', null)]))
    .execute()

/** Pauses a webhook that works but is slow. */
export const pauseSlowWebhook = (tx: Tx, id: string, until: Date): Promise<unknown> =>
  tx.updateTable('webhooks').set({ paused_until: until }).where('id', '=', id).execute()

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Pauses a failing webhook for as long as it has been failing, from a minute to an hour, so that servers that never reply
 * do not keep others waiting. Returns since when it has been failing, and until when it is paused.
 */
export async function pauseWebhook(tx: Tx, id: string, now: Date): Promise<{ failingSince: Date; pausedUntil: Date }> {
  const known = await tx.selectFrom('webhooks').select('failing_since').where('id', '=', id).executeTakeFirst()
  const failingSince = known?.failing_since ?? now
  const pauseMs = Math.min(Math.max(now.getTime() - failingSince.getTime(), minuteMs), hourMs)
  const pausedUntil = new Date(now.getTime() + pauseMs)
  await tx
    .updateTable('webhooks')
    .set({ failing_since: failingSince, paused_until: pausedUntil })
    .where('id', '=', id)
    .execute()
  return { failingSince, pausedUntil }
}
