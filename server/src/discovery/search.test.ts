import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { updatePost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import pg from 'pg'
import { freeAgain as free, payable } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'
import { authorIn, publishes } from './published.fixture.ts'

async function search(
  reader: Person,
  q: string,
  query: object = {},
): Promise<{ found: string[]; total: number; body: unknown }> {
  const { status, body } = await reader.sends(listPublicPosts, { query: { q, ...query } })
  equal(status, 200, JSON.stringify(body))
  return { found: body.data.map(({ title }: { title: string }) => title), total: body.total, body }
}

test('title over description over creator over text, paid text too', async (t) => {
  const { world, author, reader } = await authorIn(t)
  await publishes(author, { title: 'In the paid text', paidContentMarkdown: 'a zeppelin flies' })
  await publishes(author, { title: 'In the free text', freeContentMarkdown: 'a **zeppelin** flies' })
  const zeppelin = await payable(await world.creator({ name: 'Count Zeppelin', handle: 'the_count' }))
  await publishes(zeppelin, { title: 'By the creator' })
  await publishes(author, { title: 'In the description', description: 'On a zeppelin.' })
  await publishes(author, { title: 'A zeppelin in the title' })
  await publishes(author, { title: 'Nothing of it' })
  const { found, total } = await search(reader, 'Zeppelin')
  deepEqual(found.slice(0, 3), ['A zeppelin in the title', 'In the description', 'By the creator'])
  deepEqual(found.slice(3).sort(), ['In the free text', 'In the paid text'])
  equal(total, 5)
  deepEqual((await search(reader, 'the_count'.replace('_', ' '))).found, ['By the creator'])
  // Across the tiers page by page: each once, in the same order.
  const paged = []
  for (let page = 1; page <= 3; page += 1)
    paged.push(...(await search(reader, 'zeppelin', { per_page: '2', page: `${page}` })).found)
  deepEqual(paged, found)
})

test('all words must be there, in whatever field; case and accents do not matter', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, {
    title: 'Café au lait',
    description: 'Über die Milch',
    freeContentMarkdown: 'Warm and sweet.',
  })
  await publishes(author, { title: 'Café', description: 'Black' })
  deepEqual((await search(reader, 'CAFE')).total, 2)
  deepEqual((await search(reader, 'café uber sweet')).found, ['Café au lait'])
  deepEqual((await search(reader, 'sweet   MILCH,')).found, ['Café au lait'])
  deepEqual((await search(reader, 'café absent')).found, [])
  // Whole words: nobody can feel their way along a paid text.
  deepEqual((await search(reader, 'caf')).found, [])
  deepEqual((await search(reader, '!!! ...')).found, [])
})

test('texts without spaces between words are found by their parts', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, { title: '東京の天気', language: 'ja' })
  await publishes(author, { title: '京都の天気', language: 'ja' })
  deepEqual((await search(reader, '東京')).found, ['東京の天気'])
  equal((await search(reader, '天気')).total, 2)
  equal((await search(reader, '京')).total, 2)
  deepEqual((await search(reader, '天京')).found, [])
  // Letters that stand alone must be found too, and voiced kana and long marks belong to their words.
  deepEqual((await search(reader, '東 天')).found, ['東京の天気'])
  await publishes(author, { title: 'コーヒーが好き', language: 'ja' })
  await publishes(author, { title: 'ビール', language: 'ja' })
  deepEqual((await search(reader, 'コーヒー')).found, ['コーヒーが好き'])
  deepEqual((await search(reader, 'が好')).found, ['コーヒーが好き'])
})

test('a query with % _ / or a backslash is looked for as it stands, inside one field', async (t) => {
  const { author, reader } = await authorIn(t, { handle: 'plainhandle' }, { isolation: 'emptied' })
  await publishes(author, { title: 'Save 50% now', description: 'and/or later' })
  await publishes(author, { title: 'Save 500 now', description: 'and or later' })
  await publishes(author, { title: 'snake_case names', freeContentMarkdown: 'see `C:\\temp\\file` there' })
  await publishes(author, { title: 'snakeXcase names' })
  deepEqual((await search(reader, '%')).found, ['Save 50% now'])
  deepEqual((await search(reader, '50%')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'SAVE 50% N')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'now 50%')).found, [])
  deepEqual((await search(reader, '50% now and/or')).found, [])
  deepEqual((await search(reader, 'and/or')).found, ['Save 50% now'])
  deepEqual((await search(reader, 'e_c')).found, ['snake_case names'])
  deepEqual((await search(reader, '_')).found, ['snake_case names'])
  deepEqual((await search(reader, 'c:\\TEMP')).found, ['snake_case names'])
  deepEqual((await search(reader, '\\')).found, ['snake_case names'])
  deepEqual((await search(reader, '%%')).found, [])
  deepEqual((await search(reader, '50%', { access: 'free' })).found, [])
  await publishes(author, { title: 'Later', description: 'and/or never' })
  deepEqual((await search(reader, 'and/or')).found, ['Later', 'Save 50% now'])
  deepEqual((await search(reader, 'and/or', { sort: 'oldest' })).found, ['Save 50% now', 'Later'])
  await publishes(author, { title: 'a™/b' })
  deepEqual((await search(reader, 'a™/b')).found, ['a™/b'])
  deepEqual((await search(reader, '(^|/[.*')).found, [])
})

/** Every sign of ASCII that is neither letter, digit nor space. */
const punctuation = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index)).filter(
  (sign) => !/[a-z0-9]/i.test(sign),
)

test('every punctuation sign inside a literal query is only itself', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const query = (sign: string) => `left${sign}mid_dle${sign}right`
  for (const [index, sign] of punctuation.entries()) {
    const backticks = sign === '`' ? '``' : '`'
    const freeContentMarkdown = `${backticks} ${query(sign)} ${backticks}`
    await publishes(author, { title: `${index} ${query(sign)}`, description: '' })
    await publishes(author, { title: `${index} text`, description: '', freeContentMarkdown })
  }
  equal(punctuation.length, 32)
  for (const [index, sign] of punctuation.entries()) {
    const q = query(sign)
    deepEqual((await search(reader, q)).found, [`${index} ${q}`, `${index} text`], sign)
    for (const end of [`${sign}_`, `_${sign}`, `${sign}/${sign}`, `\\${sign}`]) await search(reader, end)
    const page = await world.server.inject({ url: '/', query: { q } })
    equal(page.statusCode, 200, sign)
    ok(page.body.includes(`${index} text`) && page.body.includes('mid_dle'), sign)
  }
})

test('paid text is searched, never shown, and cannot be spelled out', async (t) => {
  const { author, reader } = await authorIn(t)
  await publishes(author, {
    title: 'Locked',
    description: '',
    freeContentMarkdown: 'Open.',
    paidContentMarkdown: 'The key is under_the_mat at 7/8 Elm Street, or /٣٤٥ or /क्षमा, code 4711, room b12',
  })
  for (const q of ['mat', 'elm street', 'STREET elm', 'क्षमा', 'b12']) {
    const { found, body } = await search(reader, q)
    deepEqual(found, ['Locked'], q)
    ok(!JSON.stringify(body).includes('Elm'), q)
  }
  // Beginnings and ends of words reveal nothing, nor do numbers, nor anything literal: that would tell what follows what.
  const literal = ['under_the_mat', '7/8', '7/8 elm', '/क्षमा', 'under_the_m', '7/8 E', '/٣']
  for (const q of [...literal, '4711', '٣٤٥', 'code 4711', 'ma', 'str', 'क'])
    deepEqual((await search(reader, q)).found, [], q)
  // In public text they are found.
  await publishes(author, { title: 'Open 4711', description: 'under_the_mat' })
  for (const q of ['4711', 'under_the_mat']) deepEqual((await search(reader, q)).found, ['Open 4711'], q)
})

test('an author can take the paid text of a post out of the search', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author, {
    title: 'Quiet',
    paidContentMarkdown: 'a xylophone plays',
    searchPaidContent: false,
  })
  equal(post.searchPaidContent, false)
  deepEqual((await search(reader, 'xylophone')).found, [])
  const patch = (searchPaidContent: boolean, revision: string) =>
    author.publisher.calls(updatePost, {
      params: { postId: post.id },
      headers: { 'x-post-revision': revision },
      body: { searchPaidContent },
    })
  const shown = await patch(true, post.updatedAt)
  deepEqual([shown.status, shown.body.searchPaidContent], [200, true])
  deepEqual((await search(reader, 'xylophone')).found, ['Quiet'])
  equal((await patch(false, shown.body.updatedAt)).status, 200)
  deepEqual((await search(reader, 'xylophone')).found, [])
})

test('searches are limited by address, on the site too; browsing is not', async (t) => {
  const { world } = await authorIn(t)
  const reader = world.stranger()
  for (let count = 0; count < 239; count += 1) equal((await search(reader, `word${count}`)).total, 0)
  const page = () => world.server.inject({ url: '/', query: { q: 'word' }, remoteAddress: reader.address })
  equal((await page()).statusCode, 200)
  const refused = await reader.calls(listPublicPosts, { query: { q: 'word' } })
  deepEqual([refused.status, refused.body.data.code], [429, 'rate_limited'])
  ok(Number(refused.headers.get('retry-after')) > 0)
  equal((await page()).statusCode, 429)
  equal((await reader.calls(listPublicPosts, { query: {} })).status, 200)
  await world.advance(61)
  equal((await search(reader, 'word')).total, 0)
})

test('letters of a paid text without spaces are not told one by one', async (t) => {
  const { author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  await publishes(author, {
    title: 'Locked',
    description: '',
    freeContentMarkdown: '無料',
    paidContentMarkdown: '秘密の鍵 箱 と a/秘/b そして x/密の/y',
  })
  for (const q of ['秘密', '密の', '秘密の鍵', '無', '料', '無料'])
    deepEqual((await search(reader, q)).found, ['Locked'], q)
  for (const q of ['秘', '密', 'の', '鍵', '箱', '秘 密', '/密', 'a/秘/b', 'x/密の/y'])
    deepEqual((await search(reader, q)).found, [], q)
})

test('a text as long as a Post may have is found by its last words too', async (t) => {
  const { author, reader } = await authorIn(t)
  const word = (index: number) => `w${index.toString(36).padStart(4, '0')}`
  const text = (from: number) => Array.from({ length: 31_600 }, (_, index) => word(from + index)).join(' ')
  equal(text(0).length, 189_599)
  await publishes(author, { title: 'Long', freeContentMarkdown: text(0), paidContentMarkdown: text(31_600) })
  for (const index of [0, 9_999, 10_001, 31_599, 31_600, 50_000, 63_199])
    deepEqual((await search(reader, word(index))).found, ['Long'], `${index}`)
  deepEqual((await search(reader, word(63_200))).found, [])
})

test('a search obeys filters and orders', async (t) => {
  const { world, author, reader } = await authorIn(t)
  for (const [title, input] of [
    ['Bread one', { priceAtomic: `3${'0'.repeat(28)}` }],
    ['Bread two', free],
    ['Bread three', { priceAtomic: `1${'0'.repeat(28)}`, category: 'health' }],
  ] as const) {
    await publishes(author, { title, ...input })
    await world.advance(60)
  }
  await publishes(author, { title: 'No loaf' })
  const order = async (query: object) =>
    (await search(reader, 'bread', query)).found.map((title) => title.split(' ')[1])
  deepEqual(await order({ sort: 'newest' }), ['three', 'two', 'one'])
  deepEqual(await order({ sort: 'oldest' }), ['one', 'two', 'three'])
  deepEqual(await order({ sort: 'price_asc' }), ['two', 'three', 'one'])
  deepEqual(await order({ sort: 'price_desc' }), ['one', 'three', 'two'])
  deepEqual(await order({ access: 'paid', sort: 'oldest' }), ['one', 'three'])
  deepEqual(await order({ category: 'health' }), ['three'])
  deepEqual(await order({ max_price_raw: `1${'0'.repeat(28)}`, sort: 'oldest' }), ['two', 'three'])
  equal((await search(reader, 'bread', { access: 'paid' })).total, 2)
})

test('an edit is found at once, a renamed creator soon', async (t) => {
  const { world, author, reader } = await authorIn(t, { name: 'Ada Old' })
  const post = await publishes(author, { title: 'Before' })
  equal((await search(reader, 'before')).total, 1)
  await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: 'Afterwards' },
  })
  equal((await search(reader, 'before')).total, 0)
  equal((await search(reader, 'afterwards ada old')).total, 1)
  await author.publisher.calls(updateProfile, { body: { name: 'Ada Fresh' } })
  await world.runJobs()
  equal((await search(reader, 'ada fresh')).total, 1)
  equal((await search(reader, 'ada old')).total, 0)
})

/** Four thousand Posts spread over years, half with a word in the title, a fifth with it in the description. */
async function library(t: TestContext) {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  const sample = await publishes(author, { title: 'Sample' })
  const { pool } = world.services
  // A connection without the service's time limit for statements: on a busy machine this takes longer than that.
  const client = new pg.Client({ connectionString: pool.options.connectionString })
  await client.connect()
  await client.query(
    `WITH copies AS (
       INSERT INTO posts SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'title', 'Copy ' || n,
         'published_at', post.published_at - n * interval '7 hours'))).* FROM posts post, generate_series(1, 4000) n WHERE post.id = $1
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
  await client.query('ANALYZE catalog')
  await client.end()
  const keepCopiesOnly = () =>
    pool.query(`DELETE FROM catalog WHERE post_id NOT IN (SELECT id FROM posts WHERE title LIKE 'Copy%')`)
  return { world, author, reader, keepCopiesOnly, numbers: Array.from({ length: 4000 }, (_, index) => index + 1) }
}

const numbersOf = ({ found }: { found: string[] }) => found.map((title) => Number(title.slice(5)))

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
    equal(result.total, 4000)
    deepEqual(numbersOf(result), expected.slice((page - 1) * 48, page * 48), `page ${page}`)
  }
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
        equal(result.total, expected.length, label)
        deepEqual(numbersOf(result), expected.slice((page - 1) * 47, page * 47), label)
      }
    }
  }
})
