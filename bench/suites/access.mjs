import { content, reading } from '../../server/dist/access/may-read.js'
import { liveSession } from '../../server/dist/accounts/session-store.js'
import { loadLibrary } from '../discovery-data.mjs'
import { withClient } from '../postgres.mjs'
import { register } from '../register.mjs'
import { compareSettlement } from '../settlement.mjs'

// For a quick run: `--entitlements 10000` and `BENCH_PAYMENTS=20`.
const postsOfBuyer = 10_000
const payments = Number(process.env.BENCH_PAYMENTS ?? 100)

export default {
  name: 'access',
  title: 'Access',
  async routes({ origin, databaseUrl, options }) {
    const entitlements = Number(options.entitlements ?? 1_000_000)
    await loadLibrary(databaseUrl, postsOfBuyer)
    const { token, accountId, sessionId } = await register(origin)
    const { postId, held } = await withClient(databaseUrl, (client) => fill(client, accountId, entitlements))
    const path = `/api/posts/${postId}/access`
    const now = new Date().toISOString()
    const readingFor = (reader) => ({ text: reading.text, values: [postId, reader, null, null, null] })
    return [
      {
        label: '402 with a new offer on both rails',
        request: { path },
        references: [{ kind: 'same-bytes' }, { kind: 'same-sql', statements: [readingFor(null)] }],
      },
      {
        label: `read with a session, ${held.toLocaleString('en')} entitlements`,
        request: { path, headers: { authorization: `Bearer ${token}` } },
        references: [
          { kind: 'same-bytes' },
          {
            kind: 'same-sql',
            statements: [
              { text: liveSession.text, values: [sessionId, now] },
              readingFor(accountId),
              { text: content.text, values: [postId] },
            ],
            atLeast: 0.6,
          },
        ],
      },
    ]
  },
  trials: (parts) => compareSettlement(parts, payments),
}

/** Sells all posts to enough buyers, and one post with both rails to the reader of this suite. */
async function fill(client, readerId, entitlements) {
  const buyers = Math.max(1, Math.round(entitlements / postsOfBuyer))
  await client.query(
    `INSERT INTO accounts (id, name, handle, author_kind, is_anonymous, is_admin, created_at)
     SELECT gen_random_uuid(), 'Buyer', 'bench_buyer_' || n, 'human', false, false, now() FROM generate_series(1, $1::int) n
     ON CONFLICT DO NOTHING`,
    [buyers],
  )
  await client.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at)
     SELECT account.id, post.id, 'purchase', now() FROM accounts account CROSS JOIN posts post
     WHERE account.handle LIKE 'bench\\_buyer\\_%' LIMIT $1 ON CONFLICT DO NOTHING`,
    [entitlements],
  )
  const { rows } = await client.query(
    `SELECT post.id, post.account_id FROM posts post
     WHERE post.has_paywall AND post.status = 'published' AND post.price_currency IS NOT NULL ORDER BY post.id LIMIT 1`,
  )
  const [{ id: postId, account_id: creatorId }] = rows
  await client.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at) VALUES ($1, $2, 'purchase', now())`,
    [readerId, postId],
  )
  // The catalog's payout addresses are invented, and an offer needs valid ones. A quarter of a dollar can be paid on both rails.
  await client.query(
    `INSERT INTO receiving_addresses (account_id, rail, address, updated_at)
     VALUES ($1, 'nano', 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', now()),
       ($1, 'base', '0x52908400098527886E0F7030069857D2E4169EE7', now())
     ON CONFLICT (account_id, rail) DO UPDATE SET address = excluded.address`,
    [creatorId],
  )
  await client.query(`UPDATE posts SET price_currency = 'USDC', price_atomic = 250000 WHERE id = $1`, [postId])
  await client.query('VACUUM ANALYZE entitlements')
  const { rows: held } = await client.query('SELECT count(*)::int AS held FROM entitlements')
  return { postId, held: held[0].held }
}
