import { setTimeout as wait } from 'node:timers/promises'
import { loadLibrary, wordNumber } from '../discovery-data.mjs'
import { withClient } from '../postgres.mjs'

// `npm run bench -- crowd --posts 100000`; the default is ten thousand. Lists and searches, alone and while many people a second
// read different posts, each of which moves in the lists.

const readersPerSecond = 1_000
const seconds = 20
/** Until the first of them have moved posts: they are stored every ten seconds, and posts are moved every twenty. */
const leadSeconds = 25

export default {
  name: 'crowd',
  title: 'Lists and a crowd of readers',
  async trials({ origin, databaseUrl, loader, startServer, options }) {
    const posts = Number(options.posts ?? 10_000)
    this.name = `crowd-${posts}`
    this.title = `Lists and a crowd of readers, ${posts.toLocaleString('en')} posts`
    await loadLibrary(databaseUrl, posts, { isUnread: true })
    const ids = await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query('SELECT id FROM posts ORDER BY id LIMIT 60000')
      return rows.map(({ id }) => id)
    })
    const random = (below) => Math.floor(Math.random() * below)
    const pages = (query) => Array.from({ length: 10 }, (_, page) => `/api/posts?${query}&page=${page + 1}`)
    const loads = [
      ['lists, recommended', pages('sort=recommended')],
      ['lists, newest', pages('sort=newest')],
      ['lists, recommended by category', pages('category=science')],
      ['a search for one word', Array.from({ length: 500 }, () => `/api/posts?q=${wordNumber(random(2_000))}`)],
    ]
    const measureAll = async () => {
      const results = []
      for (const [label, paths] of loads) {
        const load = {
          url: origin,
          method: 'GET',
          headers: {},
          paths,
          connections: 10,
          seconds: seconds / loads.length,
        }
        const { errors, statuses, ...figures } = await loader.call({ ...load, perSecond: 100 }, 60)
        if (errors > 0 || Object.keys(statuses).join() !== '200')
          throw new Error(`${label}: ${JSON.stringify(statuses)}`)
        results.push(figures)
      }
      return results
    }
    // The first time warms up.
    await measureAll()
    const alone = await measureAll()
    const crowd = await startServer('crowd.mjs')
    const before = await readUpdates(databaseUrl)
    const reading = crowd.call({ origin, ids, perSecond: readersPerSecond, seconds: leadSeconds + seconds }, 200)
    await wait(leadSeconds * 1000)
    const crowded = await measureAll()
    const read = await reading
    // What is left of them.
    await wait(25_000)
    const after = await readUpdates(databaseUrl)
    const milliseconds = ({ p50, p99 }) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
    return [
      ...loads.map(([label], index) => ({
        label: `${label}, 100/s, while ${Math.round(read.perSecond)} readers/s open posts; the reference is the same without them`,
        ours: milliseconds(crowded[index]),
        reference: milliseconds(alone[index]),
        goal: 'p99 under 50 ms',
        isMet: crowded[index].p99 < 50,
      })),
      ...['catalog', 'search_terms', 'catalog_counts'].map((table) => ({
        label: `rows of ${table} that these readers updated, and how many of them without index entries (HOT)`,
        ours: `${after[table].updated - before[table].updated}, ${after[table].hot - before[table].hot}`,
      })),
      {
        label: 'new versions of the catalog because of them: all, and those that empty lists by date and price',
        ours: `${after.order - before.order}, ${after.content - before.content}`,
      },
    ]
  },
}

const readUpdates = (databaseUrl) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT relname, n_tup_upd::int AS updated, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables',
    )
    const { rows: versions } = await client.query(
      `SELECT coalesce(sum(posts) FILTER (WHERE facet = 'content'), 0)::int AS content,
         coalesce(sum(posts) FILTER (WHERE facet = 'version'), 0)::int AS order FROM catalog_counts`,
    )
    return { ...Object.fromEntries(rows.map((row) => [row.relname, row])), ...versions[0] }
  })
