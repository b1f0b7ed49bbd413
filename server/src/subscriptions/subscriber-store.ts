import { createHmac, randomUUID } from 'node:crypto'
import type { Subscriber } from '@pennypost/contract/subscribers'
import { sql } from 'kysely'
import type pg from 'pg'
import { accountOfHandle } from '../accounts/account-of-handle.ts'
import { mailboxOf } from '../accounts/mailbox-limits.ts'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    subscribers: SubscriberTable
    subscriber_counts: { creator_id: string; confirmed: string }
    ended_subscriptions: { creator_id: string; address_hash: Buffer; reason: EndReason; ended_at: Date }
    import_blocks: { mailbox: Buffer; blocked_at: Date }
  }
}

interface SubscriberTable {
  id: string
  creator_id: string
  email: string
  source: Subscriber['source']
  /** Null until the owner of the address confirms it. */
  position: string | null
  created_at: Date
  confirmed_at: Date | null
  confirmations: number
  confirmation_at: Date | null
}

export type EndReason = 'unsubscribed' | 'bounced'

/** How long a confirmation link works. */
export const pendingMs = 7 * 24 * 3_600_000
/** The least time between two confirmation emails of one subscription, and how many there are at most. */
const confirmationPauseMs = 10 * 60_000
const maxConfirmations = 3
export interface Subscribable {
  readonly id: string
  readonly name: string
  readonly handle: string
}

const creatorByHandle: Statement<Subscribable> = {
  name: 'subscribable-creator',
  text: `SELECT id, name, handle FROM accounts
    WHERE id = ${accountOfHandle('$1')} AND suspended_at IS NULL AND NOT is_anonymous`,
}

export const findSubscribable = async (pool: pg.Pool, handle: string): Promise<Subscribable | undefined> =>
  (await readRows(pool, creatorByHandle, [handle]))[0]

/** A keyed hash of a mailbox and a creator: enough to recognize who unsubscribed, without keeping the address. */
export const addressHash = (secrets: Secrets, creatorId: string, email: string): Buffer =>
  hashOf(secrets, `${creatorId} ${mailboxOf(email)}`)

/** The same for all creators. */
export const blockHash = (secrets: Secrets, email: string): Buffer => hashOf(secrets, `import ${mailboxOf(email)}`)

const hashOf = (secrets: Secrets, text: string): Buffer =>
  createHmac('sha256', secrets.key('subscriber-address')).update(text).digest()

interface NewSubscriber {
  readonly creatorId: string
  readonly email: string
  readonly now: Date
}

/**
 * Adds an address that waits for its confirmation, or finds it, and returns its id. If an email is due, `confirmation_at` of
 * the row is now: the first one, or a further one after a pause.
 */
export async function addPendingSubscriber(tx: Tx, { creatorId, email, now }: NewSubscriber): Promise<string> {
  const expired = new Date(now.getTime() - pendingMs)
  const paused = new Date(now.getTime() - confirmationPauseMs)
  const isDue = sql`(known.position IS NULL AND known.confirmation_at <= ${paused}
    AND (known.confirmations < ${maxConfirmations} OR known.created_at <= ${expired}))`
  const { rows } = await sql<{ id: string }>`
    INSERT INTO subscribers AS known (id, creator_id, email, source, created_at, confirmations, confirmation_at)
    VALUES (${randomUUID()}, ${creatorId}, ${email}, 'form', ${now}, 1, ${now})
    ON CONFLICT (creator_id, email) DO UPDATE SET
      confirmation_at = CASE WHEN ${isDue} THEN ${now} ELSE known.confirmation_at END,
      confirmations = CASE WHEN NOT ${isDue} THEN known.confirmations
        WHEN known.created_at <= ${expired} THEN 1 ELSE known.confirmations + 1 END,
      created_at = CASE WHEN known.position IS NULL AND known.created_at <= ${expired} THEN ${now} ELSE known.created_at END
    RETURNING id`.execute(tx)
  return rows[0]!.id
}

export interface PendingSubscriber {
  readonly email: string
  readonly handle: string
}

/** The address to send a confirmation email to. Undefined if none is due: it is confirmed, or had one just now. */
export async function findDueConfirmation(
  db: Db,
  id: string,
  requestedAt: Date,
): Promise<PendingSubscriber | undefined> {
  const { rows } = await sql<PendingSubscriber>`
    SELECT subscriber.email, creator.handle
    FROM subscribers subscriber JOIN accounts creator ON creator.id = subscriber.creator_id
    WHERE subscriber.id = ${id} AND position IS NULL AND confirmation_at = ${requestedAt}
      AND creator.suspended_at IS NULL`.execute(db)
  return rows[0]
}

export interface FoundSubscriber {
  readonly creator_id: string
  readonly email: string
  readonly name: string
  readonly handle: string
  readonly is_confirmed: boolean
}

/** A subscription by its id, unless it waited too long for its confirmation. */
export async function findSubscriber(db: Db | Tx, id: string, now: Date): Promise<FoundSubscriber | undefined> {
  const { rows } = await sql<FoundSubscriber>`
    SELECT subscriber.creator_id, subscriber.email, creator.name, creator.handle, position IS NOT NULL AS is_confirmed
    FROM subscribers subscriber JOIN accounts creator ON creator.id = subscriber.creator_id
    WHERE subscriber.id = ${id} AND (position IS NOT NULL OR subscriber.created_at > ${new Date(now.getTime() - pendingMs)})`.execute(
    db,
  )
  return rows[0]
}

/** Confirms an address. Does nothing if it is confirmed already. */
export async function confirmSubscriber(tx: Tx, secrets: Secrets, id: string, now: Date): Promise<void> {
  const { rows } = await sql<{ creator_id: string; email: string }>`
    UPDATE subscribers SET position = nextval('subscriber_positions'), confirmed_at = ${now}
    WHERE id = ${id} AND position IS NULL RETURNING creator_id, email`.execute(tx)
  const [confirmed] = rows
  if (!confirmed) return
  await countSubscribers(tx, confirmed.creator_id, 1)
  await forgetEnd(tx, secrets, confirmed.creator_id, confirmed.email)
}

/** Subscribes the confirmed address of an account. Does nothing if it is subscribed already. */
export async function addConfirmedSubscriber(
  tx: Tx,
  secrets: Secrets,
  { creatorId, email, now }: NewSubscriber,
): Promise<void> {
  const { rows } = await sql`
    INSERT INTO subscribers AS known (id, creator_id, email, source, position, created_at, confirmed_at)
    VALUES (${randomUUID()}, ${creatorId}, ${email}, 'account', nextval('subscriber_positions'), ${now}, ${now})
    ON CONFLICT (creator_id, email) DO UPDATE
      SET source = 'account', position = excluded.position, confirmed_at = excluded.confirmed_at
      WHERE known.position IS NULL
    RETURNING id`.execute(tx)
  if (rows.length > 0) await countSubscribers(tx, creatorId, 1)
  await forgetEnd(tx, secrets, creatorId, email)
}

/** Deletes the record that an address unsubscribed, because its owner subscribes again. */
const forgetEnd = (tx: Tx, secrets: Secrets, creatorId: string, email: string): Promise<unknown> =>
  tx
    .deleteFrom('ended_subscriptions')
    .where('creator_id', '=', creatorId)
    .where('address_hash', '=', addressHash(secrets, creatorId, email))
    .execute()

/** Changes the number of a creator's subscribers. Last in its transaction: this row is shared by all of them. */
const countSubscribers = (tx: Tx, creatorId: string, change: 1 | -1): Promise<unknown> =>
  sql`INSERT INTO subscriber_counts AS known (creator_id, confirmed) VALUES (${creatorId}, ${Math.max(change, 0)})
    ON CONFLICT (creator_id) DO UPDATE SET confirmed = known.confirmed + ${change}`.execute(tx)

/**
 * Ends a subscription and deletes its address. A keyed hash stays, so that no list of this creator brings it back; if the
 * address was imported and its owner did not want that, no list of anyone.
 */
export async function endSubscriber(
  tx: Tx,
  secrets: Secrets,
  id: string,
  reason: EndReason,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<Pick<SubscriberTable, 'creator_id' | 'email' | 'source' | 'position'>>`
    DELETE FROM subscribers WHERE id = ${id} RETURNING creator_id, email, source, position`.execute(tx)
  const [ended] = rows
  if (!ended) return false
  const { creator_id, email, source, position } = ended
  await tx
    .insertInto('ended_subscriptions')
    .values({ creator_id, address_hash: addressHash(secrets, creator_id, email), reason, ended_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if (source === 'import' && reason === 'unsubscribed')
    await tx
      .insertInto('import_blocks')
      .values({ mailbox: blockHash(secrets, email), blocked_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  if (position !== null) await countSubscribers(tx, creator_id, -1)
  return true
}

/** Removes a subscriber from a creator's list. Nothing stays of it. Returns false if there is none. */
export async function removeOwnSubscriber(tx: Tx, creatorId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM subscribers WHERE id = ${id} AND creator_id = ${creatorId} AND position IS NOT NULL RETURNING id`.execute(
    tx,
  )
  if (rows.length > 0) await countSubscribers(tx, creatorId, -1)
  return rows.length > 0
}

export interface SubscriberRow {
  readonly id: string
  readonly email: string
  readonly source: Subscriber['source']
  readonly position: string
  readonly confirmed_at: Date
}

/** A creator's subscribers before a position, newest first. */
export const listedSubscribers: Statement<SubscriberRow> = {
  name: 'listed-subscribers',
  text: `SELECT id, email, source, position, confirmed_at FROM subscribers
    WHERE creator_id = $1 AND position IS NOT NULL AND position < $2 ORDER BY position DESC LIMIT $3`,
}

const lastPosition = '9223372036854775807'

export const listSubscriberRows = (
  pool: pg.Pool,
  creatorId: string,
  before: string | undefined,
  limit: number,
): Promise<SubscriberRow[]> => readRows(pool, listedSubscribers, [creatorId, before ?? lastPosition, limit])

const subscriberCount: Statement<{ confirmed: string }> = {
  name: 'subscriber-count',
  text: 'SELECT confirmed FROM subscriber_counts WHERE creator_id = $1',
}

export const readSubscriberCount = async (pool: pg.Pool, creatorId: string): Promise<number> =>
  Number((await readRows(pool, subscriberCount, [creatorId]))[0]?.confirmed ?? 0)
