import { setTimeout as wait } from 'node:timers/promises'
import { countsOfAccount, firstOfAll } from '../../server/dist/notifications/feed-store.js'
import { preferencesOfAccount } from '../../server/dist/notifications/preference-store.js'
import { withClient } from '../postgres.mjs'
import { publishPost, sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// For a quick run: `BENCH_NOTIFICATIONS=10000 BENCH_FOLLOWERS=5000 npm run bench -- notifications`.
const notifications = Number(process.env.BENCH_NOTIFICATIONS ?? 1_000_000)
const followers = Number(process.env.BENCH_FOLLOWERS ?? 100_000)
const maxFeedMs = 20
const maxFanOutSeconds = 60
const maxSlowdown = 1.5

let reader

export default {
  name: 'notifications',
  title: 'Notifications',
  async routes({ origin, databaseUrl }) {
    reader = await register(origin)
    await withClient(databaseUrl, (client) => fillFeed(client, reader.accountId))
    const statements = [preferencesOfAccount, countsOfAccount, firstOfAll[0]]
    return [
      {
        label: `GET /api/v1/notifications of ${notifications}`,
        request: feedRequest(),
        references: [
          { kind: 'same-sql', statements: statements.map(({ text }) => ({ text, values: [reader.accountId] })) },
        ],
      },
    ]
  },
  async trials({ origin, databaseUrl, loader }) {
    const feed = await loadLightly(loader, origin, feedRequest(), 10)
    const author = await register(origin)
    await withClient(databaseUrl, (client) => addFollowers(client, author.accountId))
    const read = { path: `/api/posts/${await publish(origin, author)}`, headers: {} }
    await withClient(databaseUrl, untilAllNotified)
    const before = await loadLightly(loader, origin, read, 10)
    await publish(origin, author)
    const startedAt = performance.now()
    const notified = withClient(databaseUrl, untilAllNotified).then(() => (performance.now() - startedAt) / 1000)
    const during = await loadLightly(loader, origin, read, 10)
    const seconds = await notified
    const slowdown = during.p99 / before.p99
    return [
      {
        label: `feed and counts of ${notifications}: p99 at 50 requests per second`,
        ours: `${feed.p99.toFixed(1)} ms`,
        goal: `under ${maxFeedMs} ms`,
        isMet: feed.p99 < maxFeedMs,
      },
      {
        label: `a new post notified to ${followers} followers`,
        ours: `${seconds.toFixed(1)} s`,
        goal: `under ${maxFanOutSeconds} s`,
        isMet: seconds < maxFanOutSeconds,
      },
      {
        label: `reads during that: p99 ${during.p99.toFixed(1)} ms, before ${before.p99.toFixed(1)} ms`,
        ours: slowdown.toFixed(2),
        goal: `at most ${maxSlowdown}`,
        isMet: slowdown <= maxSlowdown,
      },
    ]
  },
}

const feedRequest = () => ({ path: '/api/v1/notifications', headers: { authorization: `Bearer ${reader.token}` } })

/** Sends requests at a rate that leaves the machine mostly idle, so that a slow reply is not due to load. */
const loadLightly = (loader, origin, { path, headers }, seconds) =>
  loader.call({ url: origin + path, method: 'GET', headers, connections: 10, perSecond: 50, seconds }, seconds + 20)

async function fillFeed(client, accountId) {
  await client.query(
    `INSERT INTO notifications (account_id, kind, origin, post_id, title, body, url, created_at)
     SELECT $1, CASE WHEN n % 2 = 0 THEN 'new_comment' ELSE 'comment_reply' END, 'bench:' || n, gen_random_uuid(),
       'Someone commented on “On engines”', repeat('word ', 20), '/posts/1', now() - n * interval '1 second'
     FROM generate_series(1, $2::int) n`,
    [accountId, notifications],
  )
  await client.query(
    `INSERT INTO notification_counts (account_id, kind, total, unread)
     SELECT account_id, kind, count(*), count(*) FROM notifications WHERE account_id = $1 GROUP BY account_id, kind`,
    [accountId],
  )
  await client.query('VACUUM ANALYZE notifications')
}

async function addFollowers(client, creatorId) {
  await client.query(
    `WITH people AS (
       INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), 'Follower', 'bench_follower_' || n, now() FROM generate_series(1, $2::int) n RETURNING id
     ), switches AS (
       INSERT INTO notification_preferences (account_id, email_notifications) SELECT id, false FROM people
     )
     INSERT INTO follows (id, creator_id, follower_id, created_at) SELECT gen_random_uuid(), $1, id, now() FROM people`,
    [creatorId, followers],
  )
  await client.query('VACUUM ANALYZE')
}

async function publish(origin, author) {
  const payoutAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  await sendJson(origin, 'PUT', '/api/v1/profile/payout-address', author.token, { payoutAddress })
  return publishPost(origin, author, { freeContentMarkdown: 'Hello '.repeat(500) })
}

async function untilAllNotified(client) {
  for (;;) {
    const { rowCount } = await client.query(`SELECT FROM jobs WHERE name = 'notify-followers' LIMIT 1`)
    if (rowCount === 0) return
    await wait(50)
  }
}
