import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../test/world.ts'

const old = `'2020-01-01'`

/** What jobs delete by its age, with the condition they use. */
const deletions: readonly (readonly [table: string, condition: string])[] = [
  ['mailbox_events', `at < ${old}`],
  ['mailbox_days', `day < ${old}`],
  ['email_codes', `expires_at < ${old}`],
  ['wallet_challenges', `expires_at < ${old}`],
  ['wallet_transfers', `expires_at < ${old}`],
  ['continuations', `expires_at < ${old}`],
  ['registrations', `state = 'started' AND expires_at < ${old}`],
  ['sessions', `expires_at < ${old}`],
  ['sessions', `ended_at < ${old}`],
  ['idempotent_replies', `expires_at < ${old}`],
  ['spent_nonces', `expires_at < ${old}`],
  ['post_readers', `seen_on < ${old}`],
  ['notification_deliveries', `created_at < ${old} AND state <> 'waiting' AND kind <> 'new_follow'`],
  ['webhook_deliveries', `created_at < ${old}`],
  ['push_subscriptions', `expires_at < ${old}`],
  ['oauth_grants', `expires_at < ${old}`],
  ['account_exports', `created_at < ${old}`],
  ['subscribers', `position IS NULL AND created_at < ${old}`],
  ['post_referrers', `day < ${old}`],
  ['orders', `is_guest AND received_at IS NULL AND received_raw = 0 AND expires_at < ${old}`],
  ['idempotent_replies', `scope LIKE 'checkout:guest %' AND body ->> 'id' = ANY('{a}')`],
  ['idempotent_replies', `scope LIKE 'checkout-tip:guest %' AND body ->> 'id' = ANY('{a}')`],
]

test('what is deleted by its age is found by an index', async (t) => {
  const world = await createWorld(t)
  await world.inSession(async (client) => {
    // In an empty table reading everything is cheapest.
    await client.query('SET enable_seqscan = off')
    for (const [table, condition] of deletions) {
      const { rows } = await client.query(`EXPLAIN SELECT FROM ${table} WHERE ${condition}`)
      match(
        rows.map((row) => row['QUERY PLAN']).join(),
        /Index (Only )?(Scan|Cond).*Index Cond/,
        `${table}: ${condition}`,
      )
    }
  })
})
