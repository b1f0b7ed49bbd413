import { setTimeout as wait } from 'node:timers/promises'
import { loadLibrary, wordNumber } from '../discovery-data.mjs'
import { median } from '../median.mjs'
import { withClient } from '../postgres.mjs'
import { register } from '../register.mjs'

// `npm run bench -- discovery --posts 1000000`; the default is ten thousand.
const sorts = ['recommended', 'newest', 'oldest', 'popular', 'price_asc', 'price_desc']
const filters = [
  'access=free',
  'access=paid',
  'author=agent',
  'category=science',
  'language=de',
  'has_attachments=false',
  `max_price_raw=1${'0'.repeat(30)}`,
  'asset=USDC&network=eip155:8453',
]

let posts

/** A word that no post has, also in a catalog from an earlier run. */
const newWord = (start) => start + Date.now().toString(36)

export default {
  name: 'discovery',
  title: 'Discovery',
  async routes({ databaseUrl, options }) {
    posts = Number(options.posts ?? 10_000)
    this.name = `discovery-${posts}`
    this.title = `Discovery, ${posts.toLocaleString('en')} posts`
    await loadLibrary(databaseUrl, posts)
    // As far as people page.
    const pages = Math.min(200, Math.floor(posts / 16))
    const anyPage = (query) =>
      Array.from(
        { length: 4000 },
        () =>
          `/api/posts?${query()}&per_page=${8 + Math.floor(Math.random() * 9)}&page=${1 + Math.floor(Math.random() * pages)}`,
      )
    const pick = (list) => list[Math.floor(Math.random() * list.length)]
    const bytes = (atLeast) => [{ kind: 'same-bytes', atLeast }]
    return [
      { label: 'catalog, first page, cached', request: { path: '/api/posts' }, references: bytes(0.5) },
      ...['recommended', 'newest', 'popular', 'price_asc'].map((sort) => ({
        label: `catalog, ${sort}, pages 1 to 200, mostly not cached`,
        request: { paths: anyPage(() => `sort=${sort}`) },
        references: bytes(0.15),
      })),
      {
        label: 'catalog, any order, any filter, pages 1 to 20, mostly not cached',
        secondsPerRound: 2,
        request: {
          paths: Array.from(
            { length: 4000 },
            () =>
              `/api/posts?sort=${pick(sorts)}&${pick(filters)}&per_page=${8 + Math.floor(Math.random() * 9)}&page=${1 + Math.floor(Math.random() * 20)}`,
          ),
        },
        references: bytes(0.15),
      },
      {
        label: 'paid catalog, first page of 25',
        request: { path: '/.well-known/x402/posts?limit=25' },
        references: bytes(),
      },
    ]
  },
  async trials({ origin, databaseUrl, loader }) {
    const { rows } = await withClient(databaseUrl, (client) => client.query('SELECT id FROM posts LIMIT 200'))
    const random = (from, to) => from + Math.floor(Math.random() * (to - from))
    const query = (words, rest = '') => `/api/posts?q=${words.join('+')}${rest}`
    const many = (make) => Array.from({ length: 500 }, make)
    const searches = [
      ['a rare word', many(() => query([wordNumber(random(20_000, 50_000))]))],
      ['a common word', many(() => query([wordNumber(random(0, 60))]))],
      ['a less common word', many(() => query([wordNumber(random(60, 2000))]))],
      ['three words', many(() => query([0, 1, 2].map(() => wordNumber(random(0, 400)))))],
      ['a common word, last page', many(() => query([wordNumber(random(0, 60))], '&page=1000&per_page=48'))],
      ['a less common word, page 100', many(() => query([wordNumber(random(60, 2000))], '&page=100'))],
      [
        'three words, page 50',
        many(() =>
          query(
            [0, 1, 2].map(() => wordNumber(random(0, 100))),
            '&page=50',
          ),
        ),
      ],
      ['a common word, newest first', many(() => query([wordNumber(random(0, 60))], '&sort=newest'))],
      ['related posts', rows.map(({ id }) => `/api/posts/${id}/related`)],
    ]
    const results = []
    for (const [label, paths] of searches) {
      const { errors, statuses, p50, p99, perSecond } = await loader.call(
        { url: origin, method: 'GET', headers: {}, paths, connections: 2, seconds: 8 },
        40,
      )
      if (errors > 0 || Object.keys(statuses).join() !== '200') throw new Error(`${label}: ${JSON.stringify(statuses)}`)
      results.push({
        label: `${label}, 2 in flight`,
        ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${Math.round(perSecond)}/s`,
        goal: 'p99 under 100 ms',
        isMet: p99 < 100,
      })
    }
    results.push(await mcpTrial(origin, loader))
    results.push(await renameTrial(origin, databaseUrl), await publishTrial(origin, databaseUrl))
    return results
  },
}

/**
 * The same search as a tool of `/mcp` and over HTTP, in turns. A tool call is one more request inside the process, so it
 * cannot be faster than half of it.
 */
async function mcpTrial(origin, loader) {
  const params = { name: 'search_posts', arguments: { query: wordNumber(100), limit: 10 } }
  const loads = {
    http: { url: `${origin}/api/posts?q=${wordNumber(100)}&per_page=10`, method: 'GET', headers: {} },
    mcp: {
      url: `${origin}/mcp`,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    },
  }
  const perSecond = { http: [], mcp: [] }
  for (let round = 0; round < 6; round += 1) {
    for (const kind of ['http', 'mcp']) {
      const result = await loader.call({ ...loads[kind], connections: 10, seconds: 3 }, 30)
      const { errors, statuses } = result
      if (errors > 0 || Object.keys(statuses).join() !== '200') throw new Error(`${kind}: ${JSON.stringify(statuses)}`)
      // The first round warms up.
      if (round > 0) perSecond[kind].push(result.perSecond)
    }
  }
  const ratio = median(perSecond.mcp.map((figure, round) => figure / perSecond.http[round]))
  return {
    label: 'tools/call search_posts of /mcp, compared with the same search over HTTP, 10 in flight',
    ours: `${Math.round(median(perSecond.mcp))}/s, ratio ${ratio.toFixed(2)}`,
    goal: 'ratio at least 0.25',
    isMet: ratio >= 0.25,
  }
}

/** Renames a creator, and measures how long until a search for the new name finds all of their posts. */
function renameTrial(origin, databaseUrl) {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT account_id, count(*)::int AS written FROM posts WHERE account_id = (SELECT account_id FROM posts LIMIT 1) GROUP BY 1`,
    )
    const [{ account_id, written }] = rows
    const word = newWord('xylograph')
    const startedAt = performance.now()
    await client.query('UPDATE accounts SET name = $2 WHERE id = $1', [account_id, `Renamed ${word}`])
    const find = async () => (await (await fetch(`${origin}/api/posts?q=${word}`)).json()).total
    while ((await find()) < written && performance.now() - startedAt < 120_000) await wait(100)
    const seconds = (performance.now() - startedAt) / 1000
    return {
      label: `a creator with ${written} posts is renamed; all are found by the new name`,
      ours: `${seconds.toFixed(1)} s`,
      goal: 'within a minute',
      isMet: seconds < 60,
    }
  })
}

/** Measures how long publishing a post takes, and whether the next search finds it. */
async function publishTrial(origin, databaseUrl) {
  const { key, accountId } = await register(origin)
  await withClient(databaseUrl, (client) =>
    client.query(`INSERT INTO receiving_addresses VALUES ($1, 'nano', 'nano_bench', now())`, [accountId]),
  )
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (path, body) =>
    (await fetch(origin + path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })).json()
  const text = Array.from({ length: 300 }, (_, index) => wordNumber(index * 7)).join(' ')
  const rest = { category: 'science', language: 'en', creationMethod: 'human', creationAttested: true }
  const word = newWord('zythum')
  const times = []
  for (let round = 0; round < 15; round += 1) {
    const { id } = await send('/api/v1/posts', { title: `${word} ${round}`, freeContentMarkdown: text, ...rest })
    const startedAt = performance.now()
    const { status } = await send(`/api/v1/posts/${id}/publish`)
    times.push(performance.now() - startedAt)
    if (status !== 'published') throw new Error('not published')
  }
  const { total } = await (await fetch(`${origin}/api/posts?q=${word}`)).json()
  return {
    label: 'publishing a post of 300 words, indexed in the same transaction',
    ours: `${median(times).toFixed(1)} ms, ${total} of 15 found immediately`,
    goal: 'all found',
    isMet: total === 15,
  }
}
