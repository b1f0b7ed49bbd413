import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { listedSubscribers } from '../../server/dist/subscriptions/subscriber-store.js'
import { databaseNamed, withClient } from '../postgres.mjs'
import { residentMemory, startService } from '../processes.mjs'
import { publishPost, sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// For a quick run: `BENCH_SUBSCRIBERS=5000 npm run bench -- subscriptions --only trials`.
const subscribers = Number(process.env.BENCH_SUBSCRIBERS ?? 100_000)
const listed = Number(process.env.BENCH_LISTED ?? 1_000_000)
const minRate = 200
// What V8 lets grow before it collects garbage; it does not depend on the number of subscribers.
const maxExtraMegabytes = 100
const maxResumeSeconds = 60
// As many as the service sends together.
const maxUncertain = 10

export default {
  name: 'subscriptions',
  title: 'Email subscriptions',
  async routes({ origin, databaseUrl }) {
    const author = await register(origin)
    await withClient(databaseUrl, (client) => addSubscribers(client, author.accountId, listed))
    const values = [author.accountId, '9223372036854775807', 51]
    return [
      {
        label: `GET /api/v1/subscribers of ${listed}`,
        request: { path: '/api/v1/subscribers', headers: { authorization: `Bearer ${author.token}` } },
        references: [{ kind: 'same-sql', statements: [{ text: listedSubscribers.text, values }] }],
      },
    ]
  },
  async trials({ databaseUrl, startServer }) {
    const name = 'bench_subscriptions'
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-mailing-'))
    await withClient(databaseUrl, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${name}`)
    })
    const url = databaseNamed(databaseUrl, name)
    const settings = { DATA_DIR: folder, DATABASE_URL: url, NANO_SEED: '22'.repeat(32) }
    try {
      return await measureMailing(settings, await startServer('servers/mailboxes.mjs'))
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await withClient(databaseUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    }
  },
}

async function measureMailing(settings, mailboxes) {
  const url = settings.DATABASE_URL
  // Registering needs captured emails, so a service without a mail server prepares the author.
  const first = await startService(settings)
  const author = await register(first.origin)
  const payoutAddress = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
  await sendJson(first.origin, 'PUT', '/api/v1/profile/payout-address', author.token, { payoutAddress })
  await first.stop()
  await withClient(url, (client) => addSubscribers(client, author.accountId, subscribers))
  const mailing = {
    ...settings,
    SMTP_URL: mailboxes.origin,
    MAIL_FROM: 'post@pennypost.example',
    POST_EMAILS_PER_SECOND: '100000',
  }
  const service = await startService(mailing)
  await wait(3_000)
  const idle = residentMemory(service.pid)?.total ?? 0
  const startedAt = performance.now()
  const postId = await publishPost(service.origin, author, { freeContentMarkdown: text })
  let peak = idle
  const watch = (pid) => {
    peak = Math.max(peak, residentMemory(pid)?.total ?? 0)
  }
  // Dies in the middle, without a warning.
  const half = await untilMailed(mailboxes, subscribers / 2, () => watch(service.pid))
  const rate = half.people / ((performance.now() - startedAt) / 1000)
  process.kill(service.pid, 'SIGKILL')
  const killedAt = Date.now()
  await service.stop()
  const before = await mailboxes.call('counts', 10)
  const again = await startService(mailing)
  try {
    await untilMailed(mailboxes, before.people + 1, () => {})
    const resumed = (Date.now() - killedAt) / 1000
    await untilDone(url, postId, () => watch(again.pid))
    const { people, twice } = await mailboxes.call('counts', 10)
    const missing = subscribers - people
    return [
      {
        label: `a post of ${Math.round(text.length / 1000)} KB mailed to ${subscribers} subscribers, emails per second`,
        ours: rate.toFixed(0),
        goal: `at least ${minRate}`,
        isMet: rate >= minRate,
      },
      {
        label: `memory while mailing, above the ${idle} MB before`,
        ours: `${peak - idle} MB`,
        goal: `at most ${maxExtraMegabytes} MB`,
        isMet: peak - idle <= maxExtraMegabytes,
      },
      {
        label: 'the next email after kill -9 and a start',
        ours: `${resumed.toFixed(1)} s`,
        goal: `within ${maxResumeSeconds} s`,
        isMet: resumed <= maxResumeSeconds,
      },
      { label: 'people who got the post twice', ours: String(twice), goal: 'none', isMet: twice === 0 },
      {
        label: 'people who did not get it, because of kill -9',
        ours: String(missing),
        goal: `at most ${maxUncertain}`,
        isMet: missing <= maxUncertain,
      },
    ]
  } finally {
    await again.stop()
  }
}

const text = 'Engines compute, and poets *dream* of [engines](https://example.org/).\n\n'.repeat(100)

async function addSubscribers(client, creatorId, count) {
  await client.query(
    `INSERT INTO subscribers (id, creator_id, email, source, position, created_at, confirmed_at)
     SELECT gen_random_uuid(), $1, 'bench-' || n || '@example.com', 'form', nextval('subscriber_positions'), now(), now()
     FROM generate_series(1, $2::int) n`,
    [creatorId, count],
  )
  await client.query(
    'INSERT INTO subscriber_counts (creator_id, confirmed) VALUES ($1, $2) ON CONFLICT (creator_id) DO NOTHING',
    [creatorId, count],
  )
  await client.query('VACUUM ANALYZE subscribers')
}

async function untilMailed(mailboxes, people, look) {
  for (;;) {
    const counts = await mailboxes.call('counts', 10)
    look()
    if (counts.people >= people) return counts
    await wait(100)
  }
}

const untilDone = (url, postId, look) =>
  withClient(url, async (client) => {
    for (;;) {
      const { rowCount } = await client.query(`SELECT FROM post_mailings WHERE post_id = $1 AND state <> 'running'`, [
        postId,
      ])
      look()
      if (rowCount > 0) return
      await wait(200)
    }
  })
