import type { Subscriber } from '@pennypost/contract/subscribers'
import { sql } from 'kysely'
import { countToday } from '../accounts/mailbox-limits.ts'
import { walletNetwork } from '../payments/entitlements/entitlement-store.ts'
import type { Db, Tx } from '../platform/database/database.ts'
import type { SubscriptionServices } from './services.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    post_mailings: {
      post_id: string
      creator_id: string
      next_after: string
      last_position: string
      state: 'running' | 'done' | 'stopped'
      sent: number
      refused: number
      uncertain: number
      /** Emails that imported addresses did not get, because their mailbox had enough of them that day. */
      skipped: number
      created_at: Date
      finished_at: Date | null
    }
    post_emails: {
      post_id: string
      subscriber_id: string
      state: 'sending' | 'waiting' | 'refused' | 'uncertain'
      attempts: number
      retry_at: Date | null
    }
  }
}

/** Begins to mail a post to the subscribers its author has now. Returns false if there are none, or it was mailed before. */
export async function addMailing(tx: Tx, postId: string, creatorId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO post_mailings (post_id, creator_id, last_position, created_at)
    SELECT ${postId}, ${creatorId}, position, ${now} FROM subscribers
    WHERE creator_id = ${creatorId} AND position IS NOT NULL ORDER BY position DESC LIMIT 1
    ON CONFLICT (post_id) DO NOTHING RETURNING post_id`.execute(tx)
  return rows.length > 0
}

interface Mailable {
  readonly has_subscribers: boolean
  /** How many posts were mailed since that time. */
  readonly mailings: number
}

/** The figures that decide whether a post of this creator is mailed. */
export async function findMailable(tx: Tx, creatorId: string, since: Date): Promise<Mailable> {
  const { rows } = await sql<Mailable>`
    SELECT EXISTS (SELECT FROM subscribers WHERE creator_id = ${creatorId} AND position IS NOT NULL) AS has_subscribers,
      (SELECT count(*)::int FROM post_mailings WHERE creator_id = ${creatorId} AND created_at > ${since}) AS mailings`.execute(
    tx,
  )
  return rows[0]!
}

export interface NextMailing {
  readonly post_id: string
  /** In the past, unless the mail server deferred everything that is left. */
  readonly due_at: Date
}

/** The next mailing of a creator: the oldest one with emails that are due, or else the one whose emails are due first. */
export async function findNextMailing(db: Db | Tx, creatorId: string, now: Date): Promise<NextMailing | undefined> {
  const { rows } = await sql<NextMailing>`
    SELECT post_id, CASE WHEN is_left OR first_retry IS NULL THEN mailing.created_at ELSE first_retry END AS due_at
    FROM post_mailings mailing
    CROSS JOIN LATERAL (SELECT
      EXISTS (SELECT FROM subscribers WHERE creator_id = mailing.creator_id
        AND position > next_after AND position <= last_position)
        OR EXISTS (SELECT FROM post_emails WHERE post_id = mailing.post_id AND state = 'sending') AS is_left,
      (SELECT min(retry_at) FROM post_emails WHERE post_id = mailing.post_id AND state = 'waiting') AS first_retry) found
    WHERE creator_id = ${creatorId} AND mailing.state = 'running'
    ORDER BY greatest(CASE WHEN is_left OR first_retry IS NULL THEN ${now} ELSE first_retry END, ${now}), mailing.created_at
    LIMIT 1`.execute(db)
  return rows[0]
}

/** A person to mail a post to. */
export interface PostRecipient {
  readonly id: string
  readonly email: string
  readonly source: Subscriber['source']
  /** Emails that were put off have further attempts. */
  readonly attempts: number
  /** Whether an account with this address paid for the post. */
  readonly has_bought: boolean
}

/** The outcome of an email. */
export type Outcome =
  | { readonly id: string; readonly state: 'sent' | 'refused' | 'uncertain' }
  /** The mail server deferred it, or could not be reached, in which case the attempt does not count. */
  | { readonly id: string; readonly state: 'waiting'; readonly retryAt: Date; readonly isCounted: boolean }

export type NextEmails =
  | { readonly state: 'ended' }
  | { readonly state: 'sending'; readonly recipients: readonly PostRecipient[] }
  /** Only emails that were put off are left. */
  | { readonly state: 'waiting'; readonly until: Date }

/**
 * Emails that were being sent when their process died. Nobody knows whether the mail server has them, so they are not sent
 * again: one missing email does less harm than one that comes twice. Called before a run takes its first emails.
 */
export async function giveUpUncertainEmails(db: Db, postId: string): Promise<number> {
  const { rows } = await sql<{ lost: number }>`
    WITH lost AS (
      UPDATE post_emails SET state = 'uncertain' WHERE post_id = ${postId} AND state = 'sending' RETURNING subscriber_id
    ), counted AS (
      UPDATE post_mailings SET uncertain = uncertain + (SELECT count(*) FROM lost)
      WHERE post_id = ${postId} AND EXISTS (SELECT FROM lost))
    SELECT count(*)::int AS lost FROM lost`.execute(db)
  return rows[0]!.lost
}

interface Taking {
  readonly postId: string
  readonly outcomes: readonly Outcome[]
  /** How many emails to take at most. */
  readonly limit: number
  readonly now: Date
}

/**
 * Stores the outcomes of the last emails, and takes the next ones. They are stored as being sent before this returns, so a
 * process that dies afterwards never sends them twice. Ends the mailing if its post is no longer public, if its author is
 * suspended, or after the last email.
 */
export async function takeNextEmails(
  tx: Tx,
  services: Pick<SubscriptionServices, 'secrets' | 'config'>,
  { postId, outcomes, limit, now }: Taking,
): Promise<NextEmails> {
  const mailing = await lockMailing(tx, postId)
  if (!mailing) return { state: 'ended' }
  await storeOutcomes(tx, postId, outcomes)
  if (!mailing.is_wanted) {
    await endMailing(tx, postId, 'stopped', now)
    return { state: 'ended' }
  }
  const taken = await takeEmails(tx, postId, mailing.creator_id, limit, now)
  if (taken.length > 0)
    return { state: 'sending', recipients: await skipFullMailboxes(tx, services, postId, taken, now) }
  const { rows } = await sql<{ until: Date | null; is_left: boolean }>`
    SELECT (SELECT min(retry_at) FROM post_emails WHERE post_id = ${postId} AND state = 'waiting') AS until,
      EXISTS (SELECT FROM subscribers, post_mailings mailing
        WHERE mailing.post_id = ${postId} AND subscribers.creator_id = mailing.creator_id
          AND position > next_after AND position <= last_position) AS is_left`.execute(tx)
  const { until, is_left } = rows[0]!
  if (is_left) return { state: 'waiting', until: now }
  if (until !== null) return { state: 'waiting', until }
  await endMailing(tx, postId, 'done', now)
  return { state: 'ended' }
}

async function lockMailing(tx: Tx, postId: string) {
  const { rows } = await sql<{ creator_id: string; is_wanted: boolean }>`
    SELECT mailing.creator_id, post.status = 'published' AND creator.suspended_at IS NULL AS is_wanted
    FROM post_mailings mailing
      JOIN posts post ON post.id = mailing.post_id JOIN accounts creator ON creator.id = mailing.creator_id
    WHERE mailing.post_id = ${postId} AND mailing.state = 'running' FOR UPDATE OF mailing`.execute(tx)
  return rows[0]
}

/** The row of an email that was sent is deleted: positions up to `next_after` are never taken again. */
async function storeOutcomes(tx: Tx, postId: string, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return
  const waiting = outcomes.map((outcome) => (outcome.state === 'waiting' ? outcome : undefined))
  await sql`
    WITH outcome AS MATERIALIZED (
      SELECT * FROM unnest(${outcomes.map(({ id }) => id)}::uuid[], ${outcomes.map(({ state }) => state)}::text[],
        ${waiting.map((outcome) => outcome?.retryAt ?? null)}::timestamptz[],
        ${waiting.map((outcome) => (outcome && !outcome.isCounted ? 1 : 0))}::int[]) AS outcome(id, state, retry_at, uncounted)
    ), finished AS (
      DELETE FROM post_emails email USING outcome
      WHERE email.post_id = ${postId} AND email.subscriber_id = outcome.id AND outcome.state = 'sent'
    ), others AS (
      UPDATE post_emails email SET state = outcome.state, retry_at = outcome.retry_at,
        attempts = email.attempts - outcome.uncounted
      FROM outcome
      WHERE email.post_id = ${postId} AND email.subscriber_id = outcome.id AND outcome.state <> 'sent')
    UPDATE post_mailings SET
      sent = sent + (SELECT count(*) FROM outcome WHERE outcome.state = 'sent'),
      refused = refused + (SELECT count(*) FROM outcome WHERE outcome.state = 'refused'),
      uncertain = uncertain + (SELECT count(*) FROM outcome WHERE outcome.state = 'uncertain')
    WHERE post_id = ${postId}`.execute(tx)
}

/** Emails whose time has come again first, then those to the next subscribers in order of position. */
async function takeEmails(
  tx: Tx,
  postId: string,
  creatorId: string,
  limit: number,
  now: Date,
): Promise<PostRecipient[]> {
  if (limit === 0) return []
  const { rows } = await sql<{ subscriber_id: string; attempts: number }>`
    WITH due AS MATERIALIZED (
      SELECT subscriber_id FROM post_emails
      WHERE post_id = ${postId} AND state = 'waiting' AND retry_at <= ${now} LIMIT ${limit}
    ), again AS (
      UPDATE post_emails SET state = 'sending', attempts = attempts + 1
      WHERE post_id = ${postId} AND subscriber_id IN (SELECT subscriber_id FROM due) RETURNING subscriber_id, attempts
    ), next AS MATERIALIZED (
      SELECT subscriber.id, subscriber.position
      FROM (SELECT next_after, last_position FROM post_mailings WHERE post_id = ${postId}) mailing
      CROSS JOIN LATERAL (
        SELECT id, position FROM subscribers WHERE creator_id = ${creatorId} AND position IS NOT NULL
          AND position > mailing.next_after AND position <= mailing.last_position
        ORDER BY position LIMIT ${limit} - (SELECT count(*) FROM due)) subscriber
    ), begun AS (
      INSERT INTO post_emails (post_id, subscriber_id, state) SELECT ${postId}, id, 'sending' FROM next
      ON CONFLICT DO NOTHING RETURNING subscriber_id, attempts
    ), moved AS (
      UPDATE post_mailings SET next_after = (SELECT max(position) FROM next)
      WHERE post_id = ${postId} AND EXISTS (SELECT FROM next))
    SELECT * FROM again UNION ALL SELECT * FROM begun`.execute(tx)
  if (rows.length === 0) return []
  const taken = rows.map((row) => row.subscriber_id)
  const recipients = await readRecipients(tx, postId, taken)
  const attempts = new Map(rows.map((row) => [row.subscriber_id, row.attempts]))
  // A reader who unsubscribed between two attempts gets nothing.
  const gone = taken.filter((id) => !recipients.some((recipient) => recipient.id === id))
  if (gone.length > 0)
    await sql`DELETE FROM post_emails WHERE post_id = ${postId} AND subscriber_id = ANY(${gone}::uuid[])`.execute(tx)
  return recipients.map((recipient) => ({ ...recipient, attempts: attempts.get(recipient.id)! }))
}

/**
 * Leaves out imported addresses whose mailbox has had as many emails today as it may, of all authors together: nobody asked
 * their owners. An email that was put off was counted at its first attempt.
 */
async function skipFullMailboxes(
  tx: Tx,
  { secrets, config }: Pick<SubscriptionServices, 'secrets' | 'config'>,
  postId: string,
  taken: readonly PostRecipient[],
  now: Date,
): Promise<readonly PostRecipient[]> {
  const imported = taken.filter(({ source, attempts }) => source === 'import' && attempts === 1)
  const emails = imported.map(({ email }) => email)
  const counts = await countToday(tx, secrets, 'imported_post', emails, now)
  const skipped = imported.filter((_, index) => counts[index]! > config.importedEmailsPerDay).map(({ id }) => id)
  if (skipped.length === 0) return taken
  await sql`DELETE FROM post_emails WHERE post_id = ${postId} AND subscriber_id = ANY(${skipped}::uuid[])`.execute(tx)
  await sql`UPDATE post_mailings SET skipped = skipped + ${skipped.length} WHERE post_id = ${postId}`.execute(tx)
  return taken.filter(({ id }) => !skipped.includes(id))
}

/** Whether they bought the post: an account with this confirmed address did, or a wallet that is linked to it. */
async function readRecipients(
  tx: Tx,
  postId: string,
  ids: readonly string[],
): Promise<Omit<PostRecipient, 'attempts'>[]> {
  const { rows } = await sql<Omit<PostRecipient, 'attempts'>>`
    SELECT subscriber.id, subscriber.email, subscriber.source, account.id IS NOT NULL AND (
        EXISTS (SELECT FROM entitlements WHERE account_id = account.id AND post_id = ${postId})
        OR EXISTS (SELECT FROM wallets own JOIN wallet_entitlements paid
            ON paid.network = ${sql.raw(walletNetwork('own.kind'))} AND paid.wallet = own.address
          WHERE own.account_id = account.id AND paid.post_id = ${postId})) AS has_bought
    FROM subscribers subscriber LEFT JOIN accounts account ON account.email = subscriber.email
    WHERE subscriber.id = ANY(${ids}::uuid[]) ORDER BY subscriber.position`.execute(tx)
  return rows
}

async function endMailing(tx: Tx, postId: string, state: 'done' | 'stopped', now: Date): Promise<void> {
  await sql`UPDATE post_mailings SET state = ${state}, finished_at = ${now} WHERE post_id = ${postId}`.execute(tx)
  await sql`DELETE FROM post_emails WHERE post_id = ${postId} AND state IN ('sending', 'waiting')`.execute(tx)
}

export interface MailingFigures {
  readonly state: 'running' | 'done' | 'stopped'
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  /** Subscribers whose email is on its way, or was when the mailing stopped. */
  readonly left: number
  readonly created_at: Date
  readonly finished_at: Date | null
}

/** How the mailing of a post goes, or went. Counts the subscribers that are left only if there may be some. */
export async function findMailing(db: Db, postId: string): Promise<MailingFigures | undefined> {
  const { rows } = await sql<MailingFigures>`
    SELECT mailing.state, mailing.sent, mailing.refused + mailing.uncertain AS failed, mailing.skipped, mailing.created_at, mailing.finished_at,
      CASE WHEN mailing.state = 'done' THEN 0 ELSE
        (SELECT count(*) FROM subscribers
          WHERE creator_id = mailing.creator_id AND position > mailing.next_after AND position <= mailing.last_position)
        + (SELECT count(*) FROM post_emails WHERE post_id = mailing.post_id AND post_emails.state IN ('sending', 'waiting'))
      END::int AS left
    FROM post_mailings mailing WHERE mailing.post_id = ${postId}`.execute(db)
  return rows[0]
}
