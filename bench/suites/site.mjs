import { loadLibrary } from '../discovery-data.mjs'
import { withClient } from '../postgres.mjs'

// For a quick run: `npm run bench -- site --posts 1000`.
const comments = 40
const postCount = 500
const maxPageMs = 15

let paths

export default {
  name: 'site',
  title: 'Site',
  async routes({ databaseUrl, options }) {
    await loadLibrary(databaseUrl, Number(options.posts ?? 10_000))
    paths = await withClient(databaseUrl, addComments)
    const atLeast = (ratio) => [{ kind: 'same-bytes', atLeast: ratio }]
    const references = atLeast(0.1)
    return [
      { label: 'home', request: { path: '/' }, references },
      { label: `page of a post with ${comments} comments, cached`, request: { path: paths[0] }, references },
      {
        label: `pages of ${postCount} posts with ${comments} comments each`,
        request: { paths },
        references: atLeast(0.2),
      },
      {
        label: 'the same posts by API',
        request: { paths: paths.map((path) => `/api${path}`) },
        references: atLeast(0.3),
      },
      { label: 'RSS', request: { path: '/feed.xml' }, references: atLeast(0.3) },
      { label: 'home, filtered', request: { path: '/?access=paid&sort=newest' }, references },
    ]
  },
  async trials({ origin, loader }) {
    const trial = async (label, request) => {
      const load = { method: 'GET', headers: {}, url: origin, connections: 50, perSecond: 200, seconds: 10, ...request }
      await loader.call({ ...load, seconds: 4 }, 30) // warm-up
      const { p50, p99, errors } = await loader.call(load, 30)
      return {
        label: `${label}, 200 per second, evenly spaced`,
        ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
        goal: `p99 under ${maxPageMs} ms`,
        isMet: p99 < maxPageMs && errors === 0,
      }
    }
    return [
      await trial(`pages of ${postCount} posts with ${comments} comments each`, { paths }),
      await trial('the same, in Brotli', { paths, headers: { 'accept-encoding': 'br' } }),
      await trial('home', { url: `${origin}/` }),
    ]
  },
}

/** Adds comments to some posts and returns their paths. */
async function addComments(client) {
  await client.query(
    `INSERT INTO accounts (id, name, handle, created_at)
     SELECT gen_random_uuid(), 'Bench Person ' || n, 'bench_visitor_' || n, now() FROM generate_series(1, 40) n
     ON CONFLICT DO NOTHING`,
  )
  const { rows } = await client.query('SELECT post_id AS id FROM catalog ORDER BY post_id LIMIT $1', [postCount])
  const ids = rows.map(({ id }) => id)
  await client.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at)
     SELECT made.id, made.post_id, account.id, made.id, repeat('word ', 40), now() + made.n * interval '1 second'
     FROM (SELECT gen_random_uuid() AS id, post_id, n FROM unnest($1::uuid[]) post_id, generate_series(1, $2::int) n) made
     JOIN accounts account ON account.handle = 'bench_visitor_' || (made.n % 40 + 1)`,
    [ids, comments],
  )
  await client.query(
    `INSERT INTO post_figures AS known (post_id, comment_count, heart) SELECT post_id, $2, 12 FROM unnest($1::uuid[]) post_id
     ON CONFLICT (post_id) DO UPDATE SET comment_count = excluded.comment_count, heart = excluded.heart`,
    [ids, comments],
  )
  await client.query('ANALYZE')
  return ids.map((id) => `/posts/${id}`)
}
