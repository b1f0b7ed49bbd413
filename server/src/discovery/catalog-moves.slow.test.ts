import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import { popularityOf, recommendedScore } from '../posts/catalog/ranking.ts'
import { authorIn, publishes } from './published.fixture.ts'

// What readers do changes orders, and orders alone: lists are current, and nothing else is written or read again.

const ranked = ['recommended', 'popular'] as const
const sorts = [...ranked, 'newest', 'price_desc'] as const

async function library(t: TestContext, count: number) {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  const posts: { id: string }[] = []
  for (let number = 0; number < count; number += 1) {
    posts.push(await publishes(author, { title: `Engine ${number}` }))
    await world.advance(3_600 * (1 + (number % 5) * 20))
  }
  const { pool } = world.services
  const ids = posts.map(({ id }) => id)
  const version = () => world.services.discovery.version()
  const list = async (query: object): Promise<string[]> => {
    const { status, body } = await reader.sends(listPublicPosts, { query: { per_page: '48', ...query } })
    equal(status, 200)
    return body.data.map(({ id }: { id: string }) => id)
  }
  const orders = async () => Promise.all(sorts.map((sort) => list({ sort })))
  const runJob = () => indexStalePosts.run(world.services, {})
  return { world, pool, ids, version, list, orders, runJob }
}

/** The same every time, so that a failure can be repeated. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

test('lists follow what readers do; the versions grow with what can be seen, and not without', async (t) => {
  const { pool, ids, version, list, orders, runJob } = await library(t, 12)
  const random = randomNumbers(7)
  const columns = ['reader_count', 'reader_count', 'reader_count', 'sales_count', 'heart', 'comment_count']
  let quiet = 0
  let wasTied = true
  for (let step = 0; step < 150; step += 1) {
    const before = { version: await version(), orders: await orders() }
    let hasComments = false
    const changed = new Set<string>()
    for (let change = random(3); change >= 0; change -= 1) {
      const column = columns[random(columns.length)]!
      hasComments ||= column === 'comment_count'
      const id = ids[random(ids.length)]!
      changed.add(id)
      const more = 1 + random(column === 'reader_count' ? 40 : 3)
      await pool.query(
        `INSERT INTO post_figures AS figures (post_id, ${column}) VALUES ($1, $2)
         ON CONFLICT (post_id) DO UPDATE SET ${column} = figures.${column} + excluded.${column}`,
        [id, more],
      )
    }
    await runJob()
    const after = { version: await version(), orders: await orders() }
    const label = `step ${step}`
    const isReordered = JSON.stringify(before.orders) !== JSON.stringify(after.orders)
    equal(before.version.content !== after.version.content, hasComments, label)
    if (hasComments || isReordered) notEqual(after.version.order, before.version.order, label)
    const { rows } = await pool.query(
      `SELECT post_id AS id, entry.published_at, score, popularity, indexed_band(entry) AS band,
         found.terms @> ARRAY[term_hash('band=' || indexed_band(entry))] AS says_band,
         (SELECT count(*)::int FROM generate_series(-20, 20) off
           WHERE found.terms @> ARRAY[term_hash('band=' || floor(score)::int + off)]) AS bands,
         sales_count AS sales, comment_count AS comments, heart AS reactions, reader_count AS readers
       FROM catalog entry JOIN search_terms found USING (post_id) LEFT JOIN post_figures USING (post_id)`,
    )
    for (const row of rows) {
      const exact = row.sales === null ? 0 : popularityOf(row)
      ok(Math.abs(exact - row.popularity) <= row.popularity * 0.01, label)
      ok(Math.abs(row.score - recommendedScore(row.published_at, row.popularity)) < 1e-9, label)
      ok(Math.abs(Math.floor(row.score) - row.band) <= 3, label)
      deepEqual([row.says_band, row.bands], [true, 1], label)
    }
    const expected = (compare: (one: (typeof rows)[0], other: (typeof rows)[0]) => number) =>
      rows.toSorted((one, other) => compare(one, other) || (one.id < other.id ? -1 : 1)).map(({ id }) => id)
    const byScore = expected((one, other) => other.score - one.score)
    deepEqual(after.orders[0], byScore, label)
    deepEqual(await list({ q: 'engine' }), byScore, label)
    deepEqual(
      after.orders[1],
      expected((one, other) => other.popularity - one.popularity || other.published_at - one.published_at),
      label,
    )
    // Of several that move, one may pass where another was. Those that are equally popular may have any order.
    const isTied = new Set(rows.map(({ popularity }) => popularity)).size < rows.length
    if (!hasComments && !isReordered && !isTied && !wasTied && changed.size === 1) {
      equal(after.version.order, before.version.order, label)
      quiet += 1
    }
    wasTied = isTied
    const { rows: counted } = await pool.query(
      `SELECT substr(facet, 6)::int AS band, sum(posts)::int AS posts FROM catalog_counts WHERE facet LIKE 'band=%'
       GROUP BY 1 HAVING sum(posts) <> 0 ORDER BY 1`,
    )
    const { rows: bands } = await pool.query(
      'SELECT floor(score)::int AS band, count(*)::int AS posts FROM catalog GROUP BY 1 ORDER BY 1',
    )
    deepEqual(counted, bands, label)
  }
  ok(quiet > 0, 'some steps change no order')
})

test('each change that a list shows is a new version of the content; a place in an order is not', async (t) => {
  const { pool, ids, version } = await library(t, 3)
  const changes = async (sql: string) => {
    const before = await version()
    await pool.query(sql)
    const after = await version()
    return { content: after.content !== before.content, order: after.order !== before.order }
  }
  const everything = { content: true, order: true }
  const first = `WHERE post_id = '${ids[0]}'`
  const facets = () =>
    pool.query(
      `SELECT (SELECT jsonb_object_agg(facet, posts) FROM (SELECT facet, sum(posts) AS posts FROM catalog_counts
           WHERE facet NOT IN ('content', 'version') GROUP BY facet HAVING sum(posts) <> 0) kept)
         = (SELECT jsonb_object_agg(facet, posts) FROM (SELECT facet, count(*) AS posts FROM catalog entry,
           unnest(catalog_facets(entry)) facet GROUP BY facet) counted) AS agree`,
    )
  for (const set of [
    "stamp = nextval('catalog_stamps')",
    "published_at = published_at - interval '1 minute'",
    "price_kind = 'USDC'",
    'price_atomic = price_atomic + 1',
    'is_agent = NOT is_agent',
    'has_attachments = NOT has_attachments',
    'has_zip = NOT has_zip',
    'receives_nano = NOT receives_nano',
    'receives_base = NOT receives_base',
    "category = 'sports'",
    "language = 'is'",
  ]) {
    deepEqual(await changes(`UPDATE catalog SET ${set} ${first}`), everything, set)
    deepEqual((await facets()).rows, [{ agree: true }], set)
  }
  // The newest is far ahead of the others, so it can rise without passing any. None is as popular as another.
  await pool.query(
    `UPDATE catalog SET popularity = place * 10, score = 3000 + place * 100
     FROM unnest($1::uuid[]) WITH ORDINALITY listed (id, place) WHERE post_id = id`,
    [ids],
  )
  const newest = `WHERE post_id = '${ids[2]}'`
  const nothing = { content: false, order: false }
  deepEqual(await changes(`UPDATE catalog SET score = score + 5, popularity = popularity + 1 ${newest}`), nothing)
  deepEqual(await changes('UPDATE catalog SET score = score'), nothing)
  const orderOnly = { content: false, order: true }
  deepEqual(await changes(`UPDATE catalog SET score = 3050 ${newest}`), orderOnly)
  deepEqual(await changes(`UPDATE catalog SET popularity = 35 ${first}`), orderOnly)
  // Two pass each other, though neither passes the place where the other was.
  await pool.query(
    `UPDATE catalog SET score = CASE post_id WHEN '${ids[0]}' THEN 1 WHEN '${ids[1]}' THEN 4 ELSE 99 END`,
  )
  deepEqual(
    await changes(
      `UPDATE catalog SET score = CASE post_id WHEN '${ids[0]}' THEN 3 ELSE 2 END WHERE post_id <> '${ids[2]}'`,
    ),
    orderOnly,
  )
  deepEqual((await facets()).rows, [{ agree: true }])
  deepEqual(await changes(`DELETE FROM catalog ${first}`), everything)
})

test('the first readers of a post move it without writing its search terms; many more write them once', async (t) => {
  const { pool, ids, list, runJob } = await library(t, 2)
  const place = async () =>
    (await pool.query('SELECT ctid::text, xmin::text FROM search_terms WHERE post_id = $1', [ids[0]])).rows
  const before = await place()
  const read = async (readers: number) => {
    await pool.query(
      `INSERT INTO post_figures (post_id, reader_count) VALUES ($1, $2)
       ON CONFLICT (post_id) DO UPDATE SET reader_count = excluded.reader_count`,
      [ids[0], readers],
    )
    await runJob()
    return list({ sort: 'popular' })
  }
  for (const readers of [1, 2, 3, 5, 7]) deepEqual(await read(readers), [ids[0], ids[1]])
  deepEqual(await place(), before)
  await read(1_000)
  const after = await place()
  ok(after[0].xmin !== before[0].xmin)
  await read(1_500)
  deepEqual(await place(), after)
})

test('a process of the previous version writes words into the catalog: they are found', async (t) => {
  const { pool, ids, list } = await library(t, 1)
  await pool.query(`UPDATE catalog SET terms = ARRAY[term_hash('whole:steam'), term_hash('title:steam')],
    stamp = nextval('catalog_stamps')`)
  deepEqual(await list({ q: 'steam' }), ids)
  deepEqual(await list({ q: 'steam', category: 'sports' }), [])
  deepEqual(await list({ q: 'engine' }), [])
})
