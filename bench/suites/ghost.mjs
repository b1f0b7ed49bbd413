import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { loadLibrary, wordNumber } from '../discovery-data.mjs'
import { fillGhost, publishInGhost } from '../ghost/fill.mjs'
import { installGhost } from '../ghost/install.mjs'
import { createDatabase, startGhost, startMariaDb } from '../ghost/start.mjs'
import { median } from '../median.mjs'
import { withClient } from '../postgres.mjs'
import { treeSeconds } from '../processes.mjs'
import { sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// Ghost and we, side by side on the same machine, with the same posts.

const words = 853
const different = 500
const rounds = 3
const secondsPerRound = 4
const warmUpSeconds = 8
const publications = 15

export default {
  name: 'ghost',
  title: 'Beside Ghost',
  // It installs Ghost and a database for it, so it is run only when it is asked for.
  isOnRequest: true,
  async trials({ origin, pid, databaseUrl, databasePid, loader, options }) {
    const count = Number(options.posts ?? 10_000)
    await loadLibrary(databaseUrl, count)
    const posts = await writeTexts(databaseUrl, count)
    const installed = installGhost()
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-ghost-'))
    chmodSync(folder, 0o711) // for root: MariaDB runs as another account
    const stops = [async () => rmSync(folder, { recursive: true, force: true })]
    try {
      const mariaDb = await startMariaDb(folder)
      stops.push(mariaDb.stop)
      const client = await createDatabase(installed, mariaDb)
      stops.push(() => client.end())
      // Once for its tables. It learns the addresses of all posts when it starts.
      await (await startGhost(installed, mariaDb, folder)).stop()
      const { ids, contentKey, adminKey } = await fillGhost(client, posts)
      const ghost = await startGhost(installed, mariaDb, folder)
      stops.push(ghost.stop)
      const sides = {
        ours: { origin, pids: [pid, databasePid] },
        ghost: { origin: ghost.origin, pids: [ghost.pid, mariaDb.pid] },
      }
      const rows = []
      for (const route of routes(posts, ids, contentKey)) rows.push(await compareRoute(loader, sides, route))
      rows.push(await comparePublishing(origin, ghost.origin, adminKey, databaseUrl))
      // An idle process gives memory back within half a minute.
      await wait(40_000)
      rows.push({
        label: 'memory of the service after all that, without its database (PSS)',
        ours: `${proportionalMegabytes(pid)} MB`,
        reference: `${proportionalMegabytes(ghost.pid)} MB`,
        goal: 'at most 120 MB',
        isMet: proportionalMegabytes(pid) <= 120,
      })
      return rows.map((row) => ({ ...row, reference: `Ghost ${installed.version}: ${row.reference}` }))
    } finally {
      for (const stop of stops.reverse()) await stop()
    }
  },
}

/** Gives each of our posts a text of the same length, and returns them all for Ghost. */
async function writeTexts(databaseUrl, count) {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT id, title, published_at FROM posts WHERE status = 'published' ORDER BY id LIMIT $1`,
      [count],
    )
    const posts = rows.map(({ id, title, published_at }, index) => {
      const text = Array.from({ length: words }, (_, place) => wordNumber((index * 31 + place * place) % 20_000)).join(
        ' ',
      )
      return { id, title, slug: `post-${index}`, text, html: `<p>${text}</p>`, publishedAt: published_at }
    })
    for (let from = 0; from < posts.length; from += 500) {
      const some = posts.slice(from, from + 500)
      await client.query(
        `UPDATE posts SET free_markdown = told.text, free_text = told.text, free_html = '<p>' || told.text || '</p>'
         FROM unnest($1::uuid[], $2::text[]) AS told (id, text) WHERE posts.id = told.id`,
        [some.map(({ id }) => id), some.map(({ text }) => text)],
      )
    }
    await client.query('VACUUM ANALYZE posts')
    return posts
  })
}

function routes(posts, ids, key) {
  const some = posts.slice(0, different)
  const pages = Array.from({ length: 200 }, (_, index) => index + 1)
  const inBrotli = { 'accept-encoding': 'br' }
  const content = (path) => `/ghost/api/content/posts/${path}key=${key}`
  const ghostPages = some.map(({ slug }) => `/${slug}/`)
  const ourPages = some.map(({ id }) => `/posts/${id}`)
  return [
    {
      label: 'list, random page of 15',
      ours: pages.map((page) => `/api/posts?sort=newest&per_page=15&page=${page}`),
      ghost: pages.map((page) => content(`?limit=15&page=${page}&`)),
    },
    { label: 'home', ours: ['/'], ghost: ['/'] },
    {
      label: `one post by API, ${different} different`,
      ours: some.map(({ id }) => `/api/posts/${id}`),
      ghost: ids.slice(0, different).map((id) => content(`${id}/?`)),
    },
    { label: `page of a post, ${different} different`, ours: ourPages, ghost: ghostPages, atLeast: 100 },
    { label: 'the same in Brotli', ours: ourPages, ghost: ghostPages, headers: inBrotli },
    { label: 'RSS', ours: ['/feed.xml'], ghost: ['/rss/'] },
  ]
}

async function compareRoute(loader, sides, { label, ours, ghost, headers = {}, atLeast }) {
  const paths = { ours, ghost }
  const load = (name, seconds) => loadSide(loader, sides[name], paths[name], headers, seconds)
  for (const name of ['ours', 'ghost']) await load(name, warmUpSeconds)
  const taken = { ours: [], ghost: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['ours', 'ghost']) taken[name].push(await load(name, secondsPerRound))
  const perSecond = (name) => median(taken[name].map((figures) => figures.perSecond))
  const cpu = (name) => median(taken[name].map((figures) => figures.milliseconds))
  const times = perSecond('ours') / perSecond('ghost')
  const side = (name) => `${Math.round(perSecond(name))}/s, ${cpu(name).toFixed(2)} ms CPU with its database`
  console.log(`${label}: ${side('ours')}; Ghost ${side('ghost')}`)
  return {
    label,
    ours: side('ours'),
    reference: `${side('ghost')}; we do ${times.toFixed(0)} times as many`,
    ...(atLeast && { goal: `at least ${atLeast} times`, isMet: times >= atLeast }),
  }
}

async function loadSide(loader, { origin, pids }, paths, headers, seconds) {
  const spent = () => pids.reduce((sum, pid) => sum + treeSeconds(pid), 0)
  const before = spent()
  const request = { url: origin + paths[0], method: 'GET', headers, connections: 20, seconds }
  const { perSecond, requests, statuses, errors } = await loader.call(
    { ...request, ...(paths.length > 1 && { paths }) },
    seconds + 30,
  )
  if (errors > 0 || Object.keys(statuses).some((status) => status !== '200'))
    throw new Error(`${origin}${paths[0]}: ${JSON.stringify({ statuses, errors })}`)
  return { perSecond, milliseconds: ((spent() - before) * 1000) / requests }
}

/** One post after the other, each with the same text. */
async function comparePublishing(origin, ghostOrigin, adminKey, databaseUrl) {
  const creator = await register(origin)
  await withClient(databaseUrl, (client) =>
    client.query(`INSERT INTO receiving_addresses VALUES ($1, 'nano', 'nano_bench', now())`, [creator.accountId]),
  )
  const text = Array.from({ length: words }, (_, place) => wordNumber(place * 7)).join(' ')
  const timed = async (send) => {
    const startedAt = performance.now()
    const value = await send()
    return [performance.now() - startedAt, value]
  }
  const [written, published, inGhost] = [[], [], []]
  for (let round = 0; round < publications; round += 1) {
    const title = `Published ${round}`
    const fields = { title, freeContentMarkdown: text, category: 'science', language: 'en' }
    const draft = { ...fields, creationMethod: 'human', creationAttested: true }
    const [writing, { id }] = await timed(() => sendJson(origin, 'POST', '/api/v1/posts', creator.key, draft))
    const [publishing] = await timed(() => sendJson(origin, 'POST', `/api/v1/posts/${id}/publish`, creator.key, {}))
    const [both] = await timed(() => publishInGhost(ghostOrigin, adminKey, { title, html: `<p>${text}</p>` }))
    written.push(writing)
    published.push(publishing)
    inGhost.push(both)
  }
  return {
    label: `publishing a post of ${words} words, in sequence, p50`,
    ours: `${median(published).toFixed(0)} ms, and ${median(written).toFixed(0)} ms to save it before`,
    reference: `${median(inGhost).toFixed(0)} ms for both`,
    goal: 'publishing at most 25 ms',
    isMet: median(published) <= 25,
  }
}

/** Memory that is shared with other processes counts in part. */
const proportionalMegabytes = (pid) =>
  Math.round(Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024)
