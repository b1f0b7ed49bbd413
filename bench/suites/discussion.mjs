import { randomUUID } from 'node:crypto'
import { commentsOfPost } from '../../server/dist/discussion/comment-store.js'
import { discussedPost } from '../../server/dist/discussion/discussed-post-store.js'
import { byPrefix } from '../../server/dist/discussion/mention-store.js'
import { writeCursor } from '../../server/dist/platform/cursor.js'
import { withClient } from '../postgres.mjs'

// How long the discussion is: `BENCH_COMMENTS=1000 npm run bench -- discussion` is a quick look.
const comments = Number(process.env.BENCH_COMMENTS ?? 50_000)
const limit = 50
const begin = new Date('2026-01-01T00:00:00Z')
const timeOf = (number) => new Date(begin.getTime() + number * 1000)

export default {
  name: 'discussion',
  title: 'Discussion',
  async routes({ databaseUrl }) {
    const postId = randomUUID()
    await withClient(databaseUrl, (client) => write(client, postId))
    const path = `/api/posts/${postId}/comments?limit=${limit}`
    // A page must cost the same wherever it lies: compare these three with each other.
    const pages = [
      ['the first', 0],
      ['a middle', Math.floor(comments / 2)],
      ['the last', comments - limit],
    ].map(([which, after]) => ({
      label: `GET /api/posts/{postId}/comments, ${which} page of ${comments} comments`,
      request: { path: after === 0 ? path : `${path}&cursor=${writeCursor(timeOf(after))}` },
      references: [
        {
          kind: 'same-sql',
          statements: [
            { text: discussedPost.text, values: [postId] },
            { text: commentsOfPost.text, values: [null, postId, timeOf(after).toISOString(), limit + 1] },
          ],
        },
      ],
    }))
    return [
      ...pages,
      // Reads of reactions are limited to 40 in ten seconds, which is no load; the Post shows the same figures.
      {
        label: 'GET /api/posts/{postId} with its reactions and counts',
        request: { path: `/api/posts/${postId}` },
        references: [{ kind: 'same-bytes' }],
      },
      {
        label: 'GET /api/profiles/mention-suggestions',
        request: { path: '/api/profiles/mention-suggestions?q=bench' },
        references: [{ kind: 'same-sql', statements: [{ text: byPrefix.text, values: ['bench', 10] }] }],
      },
    ]
  },
}

async function write(client, postId) {
  await client.query(
    `INSERT INTO accounts (id, name, handle, created_at)
     SELECT gen_random_uuid(), 'Bench Person ' || n, 'bench_talker_' || n, now() FROM generate_series(1, 100) n`,
  )
  await client.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     SELECT $1, id, 'published', 'bench', 'Bench', 1, now(), 1, now() FROM accounts WHERE handle = 'bench_talker_1'`,
    [postId],
  )
  await client.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at)
     SELECT made.id, $1, account.id, made.id, repeat('word ', 40), $2::timestamptz + made.n * interval '1 second'
     FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, $3::int) n) made
     JOIN accounts account ON account.handle = 'bench_talker_' || (made.n % 100 + 1)`,
    [postId, begin, comments],
  )
  await client.query('INSERT INTO post_figures (post_id, comment_count, heart) VALUES ($1, $2, 12)', [postId, comments])
  await client.query('ANALYZE')
}
