import { randomUUID } from 'node:crypto'
import { commentsOfPost } from '../../server/dist/discussion/comment-store.js'
import { discussedPost } from '../../server/dist/discussion/discussed-post-store.js'
import { byPrefix } from '../../server/dist/discussion/mention-store.js'
import { writeCursor } from '../../server/dist/platform/cursor.js'
import { withClient } from '../postgres.mjs'

// For a quick run: `BENCH_COMMENTS=1000 npm run bench -- discussion`.
const comments = Number(process.env.BENCH_COMMENTS ?? 50_000)
const limit = 50
const firstAt = new Date('2026-01-01T00:00:00Z')
const timeOf = (number) => new Date(firstAt.getTime() + number * 1000)

export default {
  name: 'discussion',
  title: 'Discussion',
  async routes({ databaseUrl }) {
    const postId = randomUUID()
    await withClient(databaseUrl, (client) => addComments(client, postId))
    const path = `/api/posts/${postId}/comments?limit=${limit}`
    // Every page must cost the same: compare these three with each other.
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
      // Reading reactions is limited to 40 in ten seconds, too few to measure; the post has the same figures.
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

async function addComments(client, postId) {
  await client.query(
    `INSERT INTO accounts (id, name, handle, created_at)
     SELECT gen_random_uuid(), 'Bench Person ' || n, 'bench_commenter_' || n, now() FROM generate_series(1, 100) n`,
  )
  await client.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     SELECT $1, id, 'published', 'bench', 'Bench', 1, now(), 1, now() FROM accounts WHERE handle = 'bench_commenter_1'`,
    [postId],
  )
  await client.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at)
     SELECT made.id, $1, account.id, made.id, repeat('word ', 40), $2::timestamptz + made.n * interval '1 second'
     FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, $3::int) n) made
     JOIN accounts account ON account.handle = 'bench_commenter_' || (made.n % 100 + 1)`,
    [postId, firstAt, comments],
  )
  await client.query('INSERT INTO post_figures (post_id, comment_count, heart) VALUES ($1, $2, 12)', [postId, comments])
  await client.query('ANALYZE')
}
