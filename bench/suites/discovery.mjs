import { setTimeout as wait } from 'node:timers/promises'
import { loadLibrary, wordNumber } from '../discovery-data.mjs'
import { summaryOf } from '../evenly.mjs'
import { inParallel } from '../in-parallel.mjs'
import { median } from '../median.mjs'
import { withClient } from '../postgres.mjs'
import { processorSeconds } from '../processes.mjs'
import { sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// `npm run bench -- discovery --posts 1000000`; the default is ten thousand. Lists, searches, pages and publishing: warm, in a crowd, and
// cold, right after a start.
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

const maxMs = 100

let posts
let loadedSeconds

/** A word that no post has, also in a catalog from an earlier run. */
const newWord = (start) => start + Date.now().toString(36)

export default {
  name: 'discovery',
  title: 'Discovery',
  async routes({ databaseUrl, options }) {
    posts = Number(options.posts ?? 10_000)
    this.name = `discovery-${posts}`
    this.title = `Discovery, ${posts.toLocaleString('en')} posts`
    loadedSeconds = await loadLibrary(databaseUrl, posts)
    // As deep as people usually page.
    const pages = Math.min(200, Math.floor(posts / 16))
    const anyPage = (query) =>
      Array.from(
        { length: 4000 },
        () =>
          `/api/posts?${query()}&per_page=${8 + Math.floor(Math.random() * 9)}&page=${1 + Math.floor(Math.random() * pages)}`,
      )
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
  async trials(parts) {
    const { origin, databaseUrl, loader, startServer, restart } = parts
    const library = await withClient(databaseUrl, readLibrary)
    const kinds = kindsOf(library)
    const writer = await registerWriter(origin, databaseUrl)
    const rows = loadedSeconds === undefined ? [] : [loadingRow(loadedSeconds)]
    for (const kind of kinds) rows.push(await warmTrial(parts, kind))
    rows.push(await publishTrial(origin, writer))
    rows.push(await mcpTrial(origin, loader), await renameTrial(origin, databaseUrl))
    rows.push(...(await crowdTrials({ origin, databaseUrl, loader, startServer }, kinds, library)))
    if (restart === undefined) return rows
    // Last, because what was in memory is gone then.
    const drafts = await writeDrafts(origin, writer, newWord('zythum'))
    for (const kind of kinds) rows.push(await coldTrial(restart, kind))
    const cold = await timeEach(drafts, publisher(await restart(), writer))
    return [...rows, coldRow('publishing a post of 300 words', cold)]
  },
}

const random = (from, to) => from + Math.floor(Math.random() * (to - from))
const pick = (list) => list[random(0, list.length)]
/** Many different ones, so that few replies are cached. */
const many = (make) => Array.from({ length: 2000 }, make)

/** The posts that are opened. */
async function readLibrary(client) {
  const { rows } = await client.query(
    `SELECT post.id, '/@' || account.handle || '/' || post.slug AS path
     FROM posts post JOIN accounts account ON account.id = post.account_id
     WHERE post.status = 'published' AND account.handle LIKE 'creator%' ORDER BY post.id LIMIT 20000`,
  )
  return rows
}

/** What people read, with many paths for each. */
function kindsOf(library) {
  const perPage = () => `per_page=${random(8, 17)}`
  const list = (query) => `/api/posts?${query}&${perPage()}`
  const lastPage = Math.min(1000, Math.floor(posts / 16))
  const search = (words, rest = '') => list(`q=${words.join('+')}${rest}`)
  const oneWord = (from, to, rest) => many(() => search([wordNumber(random(from, to))], rest))
  const threeWords = (to, rest) =>
    many(() =>
      search(
        [0, 1, 2].map(() => wordNumber(random(0, to))),
        rest,
      ),
    )
  return [
    { label: 'lists, first page', paths: many(() => list(`sort=${pick(sorts)}&page=${random(1, 4)}`)) },
    { label: 'lists, far pages', paths: many(() => list(`sort=${pick(sorts)}&page=${random(4, lastPage)}`)) },
    {
      label: 'lists, any order and filter, pages 1 to 20',
      paths: many(() => list(`sort=${pick(sorts)}&${pick(filters)}&page=${random(1, 21)}`)),
    },
    { label: 'a rare word', paths: oneWord(20_000, 50_000) },
    { label: 'a common word', paths: oneWord(0, 60) },
    { label: 'a less common word', paths: oneWord(60, 2000) },
    { label: 'three words', paths: threeWords(400), maxProcessorMs: 1 },
    {
      label: 'a common word, last pages',
      paths: many(() => `/api/posts?q=${wordNumber(random(0, 60))}&per_page=48&page=${random(990, 1001)}`),
    },
    { label: 'a less common word, page 100', paths: oneWord(60, 2000, '&page=100') },
    { label: 'three words, page 50', paths: threeWords(100, '&page=50') },
    { label: 'a common word, newest first', paths: oneWord(0, 60, '&sort=newest') },
    { label: 'related posts', paths: library.slice(0, 2000).map(({ id }) => `/api/posts/${id}/related`) },
    { label: 'the page of a post', paths: library.slice(-2000).map(({ path }) => path) },
  ]
}

const milliseconds = ({ p50, p99 }) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

const loadingRow = (seconds) => ({
  label: 'loading the posts, with indexes',
  ours: `${seconds.toFixed(0)} s`,
  goal: 'a million in ten minutes',
  isMet: seconds < 600 * Math.max(1, posts / 1_000_000),
})

async function warmTrial({ origin, pid, loader }, { label, paths, maxProcessorMs }) {
  const load = { url: origin, method: 'GET', headers: {}, paths, connections: 2 }
  await loader.call({ ...load, seconds: 2 }, 30)
  const before = processorSeconds(pid)
  const { requests, perSecond, errors, statuses, ...times } = await loader.call({ ...load, seconds: 5 }, 30)
  failUnlessAll200(label, errors, statuses)
  const processorMs = before && ((processorSeconds(pid).process - before.process) * 1000) / requests
  const isCheap = maxProcessorMs === undefined || !before || processorMs <= maxProcessorMs
  return {
    label: `${label}, warm, 2 in flight`,
    ours: `${milliseconds(times)}, ${Math.round(perSecond)}/s${before ? `, ${processorMs.toFixed(2)} ms CPU` : ''}`,
    goal: `p99 under ${maxMs} ms${maxProcessorMs === undefined ? '' : `, at most ${maxProcessorMs} ms CPU`}`,
    isMet: times.p99 < maxMs && isCheap,
  }
}

function failUnlessAll200(label, errors, statuses) {
  if (errors > 0 || Object.keys(statuses).join() !== '200')
    throw new Error(`${label}: ${JSON.stringify({ ...statuses, errors })}`)
}

/** The first requests after a start, each for something else, one after the other. */
async function coldTrial(restart, { label, paths }) {
  const origin = await restart()
  const times = await timeEach(new Set(paths), async (path) => {
    const reply = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } })
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status}`)
  })
  return coldRow(label, times)
}

const coldRow = (label, times) => ({
  label: `${label}, cold: the first ${times.length} after a start`,
  ours: milliseconds(summaryOf(times)),
})

const maxCold = 100
const longestCold = 6_000

/** How long each takes, one after the other: the first hundred, or those of the first seconds. */
async function timeEach(items, act) {
  const times = []
  const beganAt = performance.now()
  for (const item of items) {
    if (times.length === maxCold || performance.now() - beganAt > longestCold) break
    const startedAt = performance.now()
    await act(item)
    times.push(performance.now() - startedAt)
  }
  return times
}

const readersPerSecond = 200
const writersPerSecond = 5
const writers = 10
/** Until the crowd counts: what readers did is stored every ten seconds, posts are moved every twenty, and a crowd does not come in one moment. */
const leadSeconds = 25
const secondsEach = 8

/** Lists and searches alone, and while many people read and some write. */
async function crowdTrials({ origin, databaseUrl, loader, startServer }, kinds, library) {
  const measured = kinds.filter(({ label }) =>
    ['lists, first page', 'a less common word', 'three words'].includes(label),
  )
  const measureAll = async (onFailures) => {
    const results = []
    for (const { label, paths } of measured) {
      const load = { url: origin, method: 'GET', headers: {}, paths, connections: 10, perSecond: 20 }
      const { errors, statuses, ...times } = await loader.call({ ...load, seconds: secondsEach }, 90)
      onFailures(label, errors, statuses)
      results.push(times)
    }
    return results
  }
  const people = await inParallel(2, [...Array(writers).keys()], () => registerWriter(origin, databaseUrl))
  const crowd = await startServer('crowd.mjs')
  const alone = await measureAll(failUnlessAll200)
  const seconds = leadSeconds + measured.length * secondsEach
  const load = { origin, posts: library, writers: people, draft: draftOf('Crowd'), readersPerSecond, writersPerSecond }
  const searchFailures = {}
  const noteFailures = (label, errors, statuses) => {
    for (const [status, count] of Object.entries({ ...statuses, ...(errors > 0 && { 'no reply': errors }) }))
      if (status !== '200') searchFailures[`${status} of ${label}`] = count
  }
  const [crowded, { failures: crowdFailures, ...times }] = await Promise.all([
    wait(leadSeconds * 1000).then(() => measureAll(noteFailures)),
    crowd.call({ ...load, seconds, leadSeconds }, seconds + 90),
  ])
  const failures = { ...crowdFailures, ...searchFailures }
  const row = (label, found, reference) => ({
    label: `${label}, in a crowd of ${readersPerSecond} readers/s and ${writersPerSecond} writers/s`,
    ours: milliseconds(found),
    ...(reference && { reference: `alone: ${milliseconds(reference)}` }),
    goal: `p99 under ${maxMs} ms`,
    isMet: found.p99 < maxMs,
  })
  return [
    ...measured.map(({ label }, index) => row(`${label}, 20/s`, crowded[index], alone[index])),
    row('the page of a post', times.page),
    row('publishing a post of 300 words', times.publishing),
    row('a comment', times.comment),
    {
      label: 'requests in the crowd that failed',
      ours:
        Object.entries(failures)
          .map(([what, count]) => `${count}: ${what}`)
          .join('; ') || 'none',
      goal: 'none',
      isMet: Object.keys(failures).length === 0,
    },
  ]
}

/** An author who may publish. */
async function registerWriter(origin, databaseUrl) {
  const writer = await register(origin)
  await withClient(databaseUrl, (client) =>
    client.query(`INSERT INTO receiving_addresses VALUES ($1, 'nano', 'nano_bench', now())`, [writer.accountId]),
  )
  return writer
}

const draftOf = (title) => ({
  title,
  freeContentMarkdown: Array.from({ length: 300 }, (_, index) => wordNumber(index * 7)).join(' '),
  category: 'science',
  language: 'en',
  creationMethod: 'human',
  creationAttested: true,
})

const writeDrafts = (origin, { key }, word) =>
  inParallel(2, [...Array(50).keys()], async (number) => {
    const { id } = await sendJson(origin, 'POST', '/api/v1/posts', key, draftOf(`${word} ${number}`))
    return id
  })

const publisher =
  (origin, { key }) =>
  (id) =>
    sendJson(origin, 'POST', `/api/v1/posts/${id}/publish`, key, {})

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
  // A tool that fails replies with 200, too, and sooner.
  const { method, headers, body } = loads.mcp
  const { result } = await (await fetch(loads.mcp.url, { method, headers, body })).json()
  if (result.isError) throw new Error(`search_posts: ${result.content[0].text}`)
  const perSecond = { http: [], mcp: [] }
  for (let round = 0; round < 5; round += 1) {
    for (const kind of ['http', 'mcp']) {
      const result = await loader.call({ ...loads[kind], connections: 10, seconds: 2 }, 30)
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
async function publishTrial(origin, writer) {
  const word = newWord('zythum')
  const drafts = await writeDrafts(origin, writer, word)
  const times = await timeEach(drafts, publisher(origin, writer))
  const { total } = await (await fetch(`${origin}/api/posts?q=${word}`)).json()
  return {
    label: 'publishing a post of 300 words, warm, indexed in the same transaction',
    ours: `${milliseconds(summaryOf(times))}, ${total} of ${times.length} found immediately`,
    goal: 'all found',
    isMet: total === times.length,
  }
}
