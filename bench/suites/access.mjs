import { content, reading } from '../../server/dist/access/reading-store.js'
import { liveSession } from '../../server/dist/accounts/session-store.js'
import { loadLibrary } from '../discovery-data.mjs'
import { withClient } from '../postgres.mjs'
import { register } from '../register.mjs'

// A hundred buyers of ten thousand Posts each: a million entitlements.
const posts = 10_000
const buyers = 100

export default {
  name: 'access',
  title: 'Access, a million entitlements',
  async routes({ origin, databaseUrl }) {
    await loadLibrary(databaseUrl, posts)
    const { token, accountId, sessionId } = await register(origin)
    const postId = await withClient(databaseUrl, (client) => fill(client, accountId))
    const path = `/api/posts/${postId}/access`
    const now = new Date().toISOString()
    const asked = (reader) => ({ text: reading.text, values: [postId, reader, null, null, null] })
    return [
      {
        label: 'GET /api/posts/{postId}/access, a new quote',
        request: { path },
        references: [{ kind: 'same-sql', statements: [asked(null)] }],
      },
      {
        label: 'GET /api/posts/{postId}/access, a buyer with a session',
        request: { path, headers: { authorization: `Bearer ${token}` } },
        references: [
          {
            kind: 'same-sql',
            statements: [
              { text: liveSession.text, values: [sessionId, now] },
              asked(accountId),
              { text: content.text, values: [postId] },
            ],
            atLeast: 0.6,
          },
        ],
      },
    ]
  },
}

/** Sells everything to everybody, and one paid Post to the reader who is measured. Answers which. */
async function fill(client, readerId) {
  await client.query(
    `INSERT INTO accounts (id, name, handle, author_kind, is_anonymous, is_admin, created_at)
     SELECT gen_random_uuid(), 'Buyer', 'bench_buyer_' || n, 'human', false, false, now() FROM generate_series(1, $1::int) n`,
    [buyers],
  )
  await client.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at)
     SELECT account.id, post.id, 'purchase', now() FROM accounts account CROSS JOIN posts post
     WHERE account.handle LIKE 'bench\\_buyer\\_%'`,
  )
  const { rows } = await client.query(
    `SELECT post.id FROM posts post JOIN receiving_addresses nano ON nano.account_id = post.account_id AND nano.rail = 'nano'
     WHERE post.has_paywall AND post.status = 'published' AND post.price_currency = 'XNO' ORDER BY post.id LIMIT 1`,
  )
  await client.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at) VALUES ($1, $2, 'purchase', now())`,
    [readerId, rows[0].id],
  )
  // The library's addresses are made up; a quote needs a real one.
  await client.query(
    `UPDATE receiving_addresses SET address = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
     WHERE rail = 'nano' AND account_id = (SELECT account_id FROM posts WHERE id = $1)`,
    [rows[0].id],
  )
  await client.query('ANALYZE entitlements')
  return rows[0].id
}
