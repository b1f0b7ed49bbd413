import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PostPage } from '@pennypost/contract/discovery'
import pg from 'pg'
import { authorIn, publishes } from './published.fixture.ts'
import { search } from './search.fixture.ts'

// Pages of large results: however few posts a search looks at, the result is as if it had sorted all of them.

/** Posts spread over years, half with a word in the title, a fifth with it in the description. */
async function library(t: TestContext, posts = 4_000) {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  const sample = await publishes(author, { title: 'Sample' })
  const { pool } = world.services
  // A connection without the service's time limit for statements: on a busy machine this takes longer than that.
  const client = new pg.Client({ connectionString: world.databaseUrl })
  await client.connect()
  await client.query(
    `WITH copies AS (
       INSERT INTO posts SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'title', 'Copy ' || n,
         'published_at', post.published_at - n * interval '7 hours'))).* FROM posts post, generate_series(1, ${posts}) n WHERE post.id = $1
       RETURNING id, title, published_at)
     INSERT INTO catalog (post_id, published_at, score, popularity, price_kind, price_atomic, is_agent, has_attachments, has_zip,
       receives_nano, receives_base, category, language, terms)
     SELECT copies.id, copies.published_at, 0.0 + 1000 - extract(epoch FROM now() - copies.published_at) / 172800, n % 7,
       CASE n % 2 WHEN 0 THEN 'XNO' ELSE 'USDC' END, n::numeric * CASE n % 2 WHEN 0 THEN 1e26 ELSE 100 END, n % 2 = 0,
       false, false, true, false, CASE n % 3 WHEN 0 THEN 'science' ELSE 'technology' END, CASE n % 500 WHEN 0 THEN 'is' ELSE 'en' END,
       ARRAY[term_hash('whole:common'), CASE n % 2 WHEN 0 THEN term_hash('title:common') END, CASE WHEN n % 2 = 0 OR n % 5 = 0 THEN term_hash('described:common') END,
         CASE WHEN n % 2 = 0 OR n % 5 = 0 THEN term_hash('credited:common') END, CASE WHEN n % 400 = 0 THEN term_hash('whole:rare') END]
     FROM copies, LATERAL (SELECT substr(copies.title, 6)::int AS n) numbered`,
    [sample.id],
  )
  await client.query(
    `INSERT INTO catalog_cards SELECT entry.post_id, jsonb_set(sample.card::jsonb, '{title}', to_jsonb(post.title))
     FROM catalog entry JOIN posts post ON post.id = entry.post_id, catalog_cards sample WHERE sample.post_id = $1 AND entry.post_id <> $1`,
    [sample.id],
  )
  await client.query('ANALYZE catalog, search_terms')
  await client.end()
  const keepCopiesOnly = () =>
    pool.query(`DELETE FROM catalog WHERE post_id NOT IN (SELECT id FROM posts WHERE title LIKE 'Copy%')`)
  return { world, author, reader, keepCopiesOnly, numbers: Array.from({ length: posts }, (_, index) => index + 1) }
}

const numbersOf = ({ found }: { found: string[] }) => found.map((title) => Number(title.slice(5)))

/** A total may be an estimate if it is above a thousand, and says so. */
function checkTotal({ total, body }: { total: number; body: unknown }, expected: number, label: string): void {
  const { totalIsExact } = body as PostPage
  if (expected <= 1_000) ok(totalIsExact, label)
  if (totalIsExact) equal(total, expected, label)
  else ok(Math.abs(total - expected) < expected / 5, `${label}: ${total}`)
}

test('common words: the best Posts are looked at first, and every page is as if all had been', async (t) => {
  const { world, author, reader, keepCopiesOnly, numbers } = await library(t)
  const tierOf = (n: number) => (n % 2 === 0 ? 0 : n % 5 === 0 ? 1 : 2)
  const expected = numbers.toSorted((one, other) => tierOf(one) - tierOf(other) || one - other)
  // One of just now, whose band of scores is newer than what is known: it is found at once.
  await search(reader, 'common')
  await world.advance(3 * 24 * 3600)
  await publishes(author, { title: 'Common and new' })
  equal((await search(reader, 'common')).found[0], 'Common and new')
  await keepCopiesOnly()
  for (const page of [1, 2, 40, 42, 43, 50, 51, 83, 84]) {
    const result = await search(reader, 'common', { page: `${page}`, per_page: '48' })
    checkTotal(result, 4000, `page ${page}`)
    deepEqual(numbersOf(result), expected.slice((page - 1) * 48, page * 48), `page ${page}`)
  }
})

test('pages far in a search are as if all had been ranked, with any filter, and follow every change', async (t) => {
  const { world, reader, keepCopiesOnly, numbers } = await library(t, 6_500)
  await keepCopiesOnly()
  const tierOf = (n: number) => (n % 2 === 0 ? 0 : n % 5 === 0 ? 1 : 2)
  const ranked = numbers.toSorted((one, other) => tierOf(one) - tierOf(other) || one - other)
  // Some lie across the place from which far pages are read together, or across two stretches of them.
  const pages = [
    { per_page: 48, pages: [22, 104, 105, 106, 125, 126, 135, 136, 137] },
    { per_page: 47, pages: [107, 128] },
  ]
  const check = async (expected: number[], filter: object, label: string) => {
    for (const { per_page, pages: wanted } of pages)
      for (const page of wanted) {
        const result = await search(reader, 'common', { page: `${page}`, per_page: `${per_page}`, ...filter })
        const title = `${label}, page ${page} of ${per_page}`
        deepEqual(numbersOf(result), expected.slice((page - 1) * per_page, page * per_page), title)
        if (result.found.length > 0 && result.found.length < per_page) equal(result.total, expected.length, title)
      }
  }
  await check(ranked, {}, 'all')
  const inEnglish = ranked.filter((n) => n % 500 !== 0)
  await check(inEnglish, { language: 'en' }, 'in English')
  await world.services.pool.query(
    `DELETE FROM catalog WHERE post_id IN (SELECT id FROM posts WHERE title IN ('Copy 2', 'Copy 15', 'Copy 6499'))`,
  )
  const isThere = (n: number) => ![2, 15, 6499].includes(n)
  await check(ranked.filter(isThere), {}, 'without three')
  await check(inEnglish.filter(isThere), { language: 'en' }, 'in English, without three')
})

test('a client that pages by the total gets every hit of an estimated total once, and stops', async (t) => {
  const { reader, keepCopiesOnly, numbers } = await library(t)
  await keepCopiesOnly()
  equal(((await search(reader, 'common')).body as PostPage).totalIsExact, false)
  const found: number[] = []
  for (let page = 1, total = 1; found.length < total; page += 1) {
    const result = await search(reader, 'common', { page: `${page}`, per_page: '48' })
    ok(result.found.length > 0)
    found.push(...numbersOf(result))
    total = result.total
  }
  deepEqual(
    found.toSorted((one, other) => one - other),
    numbers,
  )
  const beyond = await search(reader, 'common', { page: '90', per_page: '48' })
  deepEqual([beyond.found, beyond.total <= 89 * 48], [[], true])
})

test('words that are seldom together: counted and ranked as where they are common, to the last page and beyond', async (t) => {
  const { reader, keepCopiesOnly, numbers, world } = await library(t)
  await keepCopiesOnly()
  // Both words are in few; in every third of those both are in the title.
  await world.services.pool.query(
    `UPDATE catalog SET terms = terms || ARRAY(
       SELECT term_hash(tier || ':' || word) FROM unnest(ARRAY['title', 'described', 'credited']) tier, unnest(ARRAY['rare', 'common']) word)
     WHERE post_id IN (SELECT id FROM posts WHERE title LIKE 'Copy%' AND substr(title, 6)::int % 1200 = 0)`,
  )
  const tierOf = (n: number) => (n % 1200 === 0 ? 0 : 1)
  const hits = numbers.filter((n) => n % 400 === 0)
  const expected = hits.toSorted((one, other) => tierOf(one) - tierOf(other) || one - other)
  for (const page of [1, 2, 3, 4]) {
    const result = await search(reader, 'common rare', { page: `${page}`, per_page: '4' })
    equal(result.total, 10)
    deepEqual(numbersOf(result), expected.slice((page - 1) * 4, page * 4), `page ${page}`)
  }
  const paid = await search(reader, 'rare', { category: 'science' })
  deepEqual([numbersOf(paid), paid.total], [[1200, 2400, 3600], 3])
})

test('every order with common and rare filters and words: each page is as if all had been sorted', async (t) => {
  const { reader, keepCopiesOnly, numbers } = await library(t)
  await keepCopiesOnly()
  // At 1.25 dollars for one Nano.
  const raw = (n: number) => (n % 2 === 0 ? n * 10 : n * 8)
  const orders: Record<string, (one: number, other: number) => number> = {
    recommended: (one, other) => one - other,
    newest: (one, other) => one - other,
    oldest: (one, other) => other - one,
    popular: (one, other) => (other % 7) - (one % 7) || one - other,
    price_asc: (one, other) => raw(one) - raw(other) || (other % 2) - (one % 2),
    price_desc: (one, other) => raw(other) - raw(one) || (one % 2) - (other % 2),
  }
  const filters: [object, (n: number) => boolean][] = [
    [{}, () => true],
    [{ category: 'science' }, (n) => n % 3 === 0],
    [{ author: 'agent', category: 'science' }, (n) => n % 6 === 0],
    [{ language: 'is' }, (n) => n % 500 === 0],
    [{ q: 'common', category: 'science' }, (n) => n % 3 === 0],
    [{ q: 'rare' }, (n) => n % 400 === 0],
  ]
  for (const [sort, compare] of Object.entries(orders)) {
    for (const [filter, fits] of filters) {
      if ('q' in filter && sort === 'recommended') continue
      const expected = numbers.filter(fits).toSorted(compare)
      // The sixth page of 47 lies across two stretches.
      for (const page of [1, 6, 20]) {
        const result = await search(reader, '', { sort, page: `${page}`, per_page: '47', ...filter })
        const label = `${sort} ${JSON.stringify(filter)} page ${page}`
        checkTotal(result, expected.length, label)
        deepEqual(numbersOf(result), expected.slice((page - 1) * 47, page * 47), label)
      }
    }
  }
})
