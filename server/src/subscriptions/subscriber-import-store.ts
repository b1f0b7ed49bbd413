import { sql } from 'kysely'
import { mailboxOf } from '../accounts/mailbox-limits.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Secrets } from '../platform/secrets.ts'
import { addressHash, blockHash } from './subscriber-store.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    subscriber_imports: {
      id: string
      creator_id: string
      consent_source: string
      total: number
      imported: number
      created_at: Date
    }
  }
}

interface ImportResult {
  readonly known: number
  readonly ended: number
  readonly added: number
}

/**
 * Subscribes the addresses of a list in one statement, each of another mailbox. Skips mailboxes that are already
 * subscribed, that unsubscribed from this creator or do not work, or whose owner unsubscribed from anyone's list.
 */
export async function importAddresses(
  tx: Tx,
  secrets: Secrets,
  creatorId: string,
  emails: readonly string[],
  now: Date,
): Promise<ImportResult> {
  const hashes = emails.map((email) => addressHash(secrets, creatorId, email))
  const blocks = emails.map((email) => blockHash(secrets, email))
  const { rows } = await sql<ImportResult>`
    WITH given AS MATERIALIZED (
      SELECT email, EXISTS (SELECT FROM subscribers WHERE creator_id = ${creatorId} AND position IS NOT NULL
          AND regexp_replace(lower(subscribers.email), '(.)\\+.*@', '\\1@') = given.mailbox) AS is_known,
        EXISTS (SELECT FROM ended_subscriptions WHERE creator_id = ${creatorId} AND address_hash = hash)
          OR EXISTS (SELECT FROM import_blocks WHERE import_blocks.mailbox = block) AS is_ended
      FROM unnest(${emails}::text[], ${emails.map(mailboxOf)}::text[], ${hashes}::bytea[], ${blocks}::bytea[])
        AS given(email, mailbox, hash, block)
    ), added AS (
      INSERT INTO subscribers AS known (id, creator_id, email, source, position, created_at, confirmed_at)
      SELECT gen_random_uuid(), ${creatorId}, email, 'import', nextval('subscriber_positions'), ${now}, ${now}
      FROM (SELECT email FROM given WHERE NOT is_known AND NOT is_ended ORDER BY email) wanted
      ON CONFLICT (creator_id, email) DO UPDATE
        SET source = 'import', position = excluded.position, confirmed_at = excluded.confirmed_at
        WHERE known.position IS NULL
      RETURNING id
    ), counted AS (
      INSERT INTO subscriber_counts AS known (creator_id, confirmed)
      SELECT ${creatorId}::uuid, count(*) FROM added HAVING count(*) > 0
      ON CONFLICT (creator_id) DO UPDATE SET confirmed = known.confirmed + excluded.confirmed),
    totals AS (
      SELECT count(*) AS given, count(*) FILTER (WHERE is_ended AND NOT is_known) AS ended FROM given)
    SELECT ended::int, (SELECT count(*) FROM added)::int AS added,
      (given - ended - (SELECT count(*) FROM added))::int AS known FROM totals`.execute(tx)
  return rows[0]!
}

/** How many addresses a creator imported since a time. The caller has locked the account. */
export async function countImported(tx: Tx, creatorId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    SELECT coalesce(sum(total), 0)::int AS total FROM subscriber_imports
    WHERE creator_id = ${creatorId} AND created_at > ${since}`.execute(tx)
  return rows[0]!.total
}
