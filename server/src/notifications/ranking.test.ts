import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sharedWorld, type World } from '../test/world.ts'
import { accountIn, commentEvent, postBy, subscribe } from './audience.fixture.ts'
import type { CommentReason } from './notification-event.ts'
import { notifyCommentCandidates } from './notify.ts'

// A second implementation, to compare with the SQL: how a person with given switches is notified of a comment. Each
// channel uses the first reason that is switched on, in the order mention, reply, author, watcher.

const rank: readonly CommentReason[] = ['mention', 'reply', 'author', 'watcher']
const kindOf = {
  mention: 'comment_mention',
  reply: 'comment_reply',
  author: 'new_comment',
  watcher: 'comment_thread_activity',
} as const
const keyOf = {
  mention: 'notify_comment_mention',
  reply: 'notify_comment_reply',
  author: 'notify_new_comment',
  watcher: 'notify_commented_post_activity',
} as const

const switches = fc.record({
  email_notifications: fc.boolean(),
  in_app_notifications: fc.boolean(),
  push_notifications: fc.boolean(),
  ...Object.fromEntries(
    rank.flatMap((reason) => [
      [keyOf[reason], fc.boolean()],
      [`${keyOf[reason]}_inapp`, fc.boolean()],
    ]),
  ),
}) as fc.Arbitrary<Record<string, boolean>>

const person = fc.record({
  reasons: fc.subarray([...rank]),
  switches,
  isActor: fc.boolean(),
  hasMuted: fc.boolean(),
  hasEmail: fc.boolean(),
  hasDevice: fc.boolean(),
})
type PersonState = typeof person extends fc.Arbitrary<infer State> ? State : never

function expected({ reasons, switches: on, isActor, hasMuted, hasEmail, hasDevice }: PersonState): string[] {
  if (isActor || hasMuted) return []
  const first = (isOn: (reason: CommentReason) => boolean | undefined) =>
    rank.find((reason) => reasons.includes(reason) && isOn(reason))
  const inApp = first((reason) => on.in_app_notifications && on[`${keyOf[reason]}_inapp`])
  const email = hasEmail ? first((reason) => on.email_notifications && on[keyOf[reason]]) : undefined
  const push = hasDevice
    ? first(
        (reason) =>
          (reason === 'mention' || reason === 'reply') &&
          on.push_notifications &&
          on.in_app_notifications &&
          on[`${keyOf[reason]}_inapp`],
      )
    : undefined
  return [
    ...(email ? [`email ${kindOf[email]}`] : []),
    ...(inApp ? [`in-app ${kindOf[inApp]}`] : []),
    ...(push ? [`push ${kindOf[push]}`] : []),
  ]
}

async function become(world: World, accountId: string, postId: string, state: PersonState): Promise<void> {
  const { db, pool, clock } = world.services
  await db.updateTable('notification_preferences').set(state.switches).where('account_id', '=', accountId).execute()
  await pool.query('DELETE FROM notification_mutes WHERE account_id = $1', [accountId])
  if (state.hasMuted) {
    await pool.query('INSERT INTO notification_mutes VALUES ($1, $2, $3)', [accountId, postId, clock.now()])
  }
  await pool.query(
    `UPDATE accounts SET email = $2, email_confirmed_at = CASE WHEN $2::text IS NOT NULL THEN now() END WHERE id = $1`,
    [accountId, state.hasEmail ? `${accountId}@example.com` : null],
  )
  await pool.query('DELETE FROM push_subscriptions WHERE account_id = $1', [accountId])
  if (state.hasDevice) await subscribe(world, accountId)
}

test('any combination of reasons, mutes and switches writes exactly the expected rows, once', async (t) => {
  const world = await sharedWorld(t)
  const { db, pool } = world.services
  const people = await Promise.all([1, 2, 3].map(() => accountIn(world)))
  const stranger = await accountIn(world)
  const postId = await postBy(world, stranger)
  const states = fc.tuple(person, person, person).filter((given) => given.filter(({ isActor }) => isActor).length <= 1)
  await fc.assert(
    fc.asyncProperty(states, async (given) => {
      for (const [index, state] of given.entries()) await become(world, people[index]!, postId, state)
      const actor = people[given.findIndex(({ isActor }) => isActor)] ?? stranger
      const event = commentEvent(postId, actor)
      const candidates = given.map(({ reasons }, index) => ({ recipientId: people[index]!, reasons }))
      // Runs twice, the second time in reverse order, because a job may run again.
      for (const batch of [candidates, [...candidates].reverse()])
        await db.transaction().execute((tx) => notifyCommentCandidates(tx, world.services, event, batch))
      for (const [index, state] of given.entries()) {
        const { rows } = await pool.query<{ received: string }>(
          `SELECT 'in-app ' || kind AS received FROM notifications WHERE account_id = $1 AND comment_id = $2 UNION ALL
           SELECT channel || ' ' || kind FROM notification_deliveries WHERE account_id = $1 AND comment_id = $2
           ORDER BY received`,
          [people[index], event.commentId],
        )
        deepEqual(
          rows.map(({ received }) => received),
          expected(state),
        )
      }
      const { rows: wrong } = await pool.query(
        `SELECT * FROM notification_counts c WHERE total <> (
           SELECT count(*) FROM notifications n WHERE n.account_id = c.account_id AND n.kind = c.kind) OR unread <> total`,
      )
      deepEqual(wrong, [])
    }),
    { numRuns: 120 },
  )
  await pool.query('DELETE FROM jobs')
})
