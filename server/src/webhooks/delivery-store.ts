import { randomUUID } from 'node:crypto'
import type { WebhookEventType } from '@pennypost/contract/webhooks'
import { type Selectable, sql } from 'kysely'
import type { TimePosition } from '../platform/cursor.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import type { WebhookRow } from './webhook-store.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    webhook_deliveries: DeliveryTable
  }
}

interface DeliveryTable {
  id: string
  webhook_id: string
  origin: string
  type: string
  body: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  response_status: number | null
  error: string | null
  created_at: Date
  last_attempt_at: Date | null
  next_attempt_at: Date | null
}

export type DeliveryRow = Selectable<DeliveryTable>

/**
 * The most deliveries that wait for one webhook. Further events are only recorded in its log, from where they can be sent
 * later.
 */
export const maxWaiting = 1_000
const tooMany = `There were ${maxWaiting} events waiting already. Send this one again from the log.`

interface NewDelivery {
  readonly accountId: string
  readonly type: WebhookEventType
  readonly origin: string
  readonly body: string
  readonly now: Date
}

/** Notes an event for each of the account's webhooks that want it, once. Returns those to be sent. */
export async function insertDeliveries(tx: Tx, event: NewDelivery): Promise<{ id: string; webhook_id: string }[]> {
  const { accountId, type, origin, body, now } = event
  const { rows } = await sql<{ id: string; webhook_id: string; state: string }>`
    INSERT INTO webhook_deliveries (id, webhook_id, origin, type, body, state, attempts, error, created_at, next_attempt_at)
    SELECT gen_random_uuid(), wanted.id, ${origin}, ${type}, ${body},
      CASE WHEN wanted.is_full THEN 'failed' ELSE 'waiting' END, 0, CASE WHEN wanted.is_full THEN ${tooMany} END, ${now}::timestamptz,
      CASE WHEN NOT wanted.is_full THEN ${now}::timestamptz END
    FROM (SELECT webhook.id, (SELECT count(*) FROM webhook_deliveries waiting
            WHERE waiting.webhook_id = webhook.id AND waiting.state = 'waiting') >= ${maxWaiting} AS is_full
          FROM webhooks webhook
          WHERE webhook.account_id = ${accountId} AND webhook.disabled_reason IS NULL AND ${type} = ANY (webhook.events)
          -- One that is being deleted is left out, instead of failing what happened together with its announcement.
          FOR KEY SHARE OF webhook) wanted
    ON CONFLICT (webhook_id, origin) DO NOTHING
    RETURNING id, webhook_id, state`.execute(tx)
  return rows.filter(({ state }) => state === 'waiting')
}

/** Adds a test delivery, which the owner asked for. */
export async function insertTestDelivery(tx: Tx, webhookId: string, body: string, now: Date): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('webhook_deliveries')
    .values({
      id,
      webhook_id: webhookId,
      origin: `test:${id}`,
      type: 'webhook.test',
      body,
      state: 'waiting',
      attempts: 0,
      created_at: now,
      next_attempt_at: now,
    } as DeliveryRow)
    .execute()
  return id
}

export type DueDelivery = Pick<DeliveryRow, 'id' | 'body' | 'state' | 'attempts'> & {
  readonly webhook: Pick<
    WebhookRow,
    'id' | 'account_id' | 'url' | 'secret_version' | 'previous_secret_until' | 'disabled_reason' | 'paused_until'
  >
}

export async function findDelivery(db: Db, id: string): Promise<DueDelivery | undefined> {
  const row = await db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhooks as webhook', 'webhook.id', 'delivery.webhook_id')
    .select(['delivery.id', 'delivery.body', 'delivery.state', 'delivery.attempts', 'webhook.id as webhook_id'])
    .select(['webhook.account_id', 'webhook.url', 'webhook.secret_version', 'webhook.previous_secret_until'])
    .select(['webhook.disabled_reason', 'webhook.paused_until'])
    .where('delivery.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { body, state, attempts, webhook_id, ...webhook } = row
  return { id, body, state, attempts, webhook: { ...webhook, id: webhook_id } }
}

type Outcome = Pick<DeliveryRow, 'state' | 'response_status' | 'error' | 'next_attempt_at'>

export const noteAttempt = (tx: Tx, id: string, outcome: Outcome, now: Date): Promise<unknown> =>
  tx
    .updateTable('webhook_deliveries')
    .set({ ...outcome, attempts: sql`attempts + 1`, last_attempt_at: now })
    .where('id', '=', id)
    .execute()

export const postpone = (tx: Tx, id: string, until: Date): Promise<unknown> =>
  tx.updateTable('webhook_deliveries').set({ next_attempt_at: until }).where('id', '=', id).execute()

/** Postpones everything that waits for a webhook. Returns the ids. */
export async function postponeAll(tx: Tx, webhookId: string, until: Date): Promise<string[]> {
  const rows = await tx
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: until })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('next_attempt_at', '<', until)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Ends a delivery that will not be attempted again. */
export const giveUpOn = (db: Db, id: string, error: string): Promise<unknown> =>
  db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', error, next_attempt_at: null })
    .where('id', '=', id)
    .execute()

/** Starts a delivery again. Returns false if the webhook has none with this id. */
export async function beginAgain(tx: Tx, webhookId: string, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', attempts: 0, next_attempt_at: now })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export function listDeliveryRows(db: Db, webhookId: string, before: TimePosition | undefined, limit: number) {
  const rows = db
    .selectFrom('webhook_deliveries')
    .select(['id', 'type', 'state', 'attempts', 'response_status', 'error', 'created_at'])
    .select(['last_attempt_at', 'next_attempt_at'])
    .where('webhook_id', '=', webhookId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  return (before ? rows.where(sql<boolean>`(created_at, id) < (${before.at}, ${before.id}::uuid)`) : rows).execute()
}
