import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setRates } from '@pennypost/contract/development-tools'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { clearBasePayoutAddress, declareAgent, updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import { freeAgain as free, payable, payableOnBase } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'
import type { World } from '../test/world.ts'
import { authorIn, publishes, whole } from './published.fixture.ts'

const titles = (body: { data: { title: string }[] }) => body.data.map(({ title }) => title)
const xno = (amount: string) => `${amount}${'0'.repeat(28)}`

async function list(reader: Person, query: object) {
  const { status, body } = await reader.sends(listPublicPosts, { query: query as Record<string, unknown> })
  equal(status, 200, JSON.stringify(body))
  return body
}

/** Five Posts, a minute apart. */
async function shelf(world: World, author: Parameters<typeof publishes>[0]) {
  const inputs = [
    { title: 'First', priceAtomic: xno('50'), category: 'science', language: 'en-GB' },
    { title: 'Second', ...free },
    { title: 'Third', priceAtomic: xno('10') },
    { title: 'Fourth', ...free, language: 'en-US' },
    { title: 'Fifth', priceAtomic: xno('30') },
  ]
  const posts = []
  for (const input of inputs) {
    posts.push(await publishes(author, input))
    await world.advance(60)
  }
  return posts
}

test('the catalog holds published Posts only, in pages, and is true at once', async (t) => {
  const { world, author, reader } = await authorIn(t)
  deepEqual(await list(reader, {}), { data: [], total: 0, totalIsExact: true, page: 1, perPage: 12 })
  const posts = await shelf(world, author)
  await author.publisher.calls(createPost, { body: { ...whole, title: 'A draft' } })
  const page = await list(reader, { page: '2', per_page: '2', sort: 'newest' })
  deepEqual([titles(page), page.total, page.page, page.perPage], [['Third', 'Second'], 5, 2, 2])
  deepEqual(titles(await list(reader, { page: '4', per_page: '2' })), [])
  await author.publisher.calls(withdrawPost, { params: { postId: posts[0].id } })
  equal((await list(reader, {})).total, 4)
  await author.publisher.calls(updatePost, {
    params: { postId: posts[1].id },
    headers: { 'x-post-revision': posts[1].updatedAt },
    body: { title: 'Renamed' },
  })
  ok(titles(await list(reader, {})).includes('Renamed'))
})

/** Sorts the terms in that are pending. Returns how many pages of the list they took. */
async function sortsIn({ services }: World): Promise<number> {
  const { rows } = await services.pool.query(`SELECT gin_clean_pending_list('search_terms_by_term')::int AS pages`)
  return rows[0].pages
}

test('a new post is found at once, and a job sorts its terms into the index', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  await publishes(author, { title: 'Zythum' })
  equal((await list(reader, { q: 'zythum' })).total, 1)
  ok((await sortsIn(world)) > 0)
  await publishes(author, { title: 'Zythum again' })
  await indexStalePosts.run(world.services, {})
  equal(await sortsIn(world), 0)
  equal((await list(reader, { q: 'zythum' })).total, 2)
})

test('while the job is late, those who publish keep the list of pending terms short', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'own' })
  const words = (post: number) => Array.from({ length: 4_000 }, (_, word) => `word${post}x${word}`).join(' ')
  const publishesOne = (post: number) => publishes(author, { title: `Long ${post}`, freeContentMarkdown: words(post) })
  await publishesOne(0)
  const pagesOfOne = await sortsIn(world)
  const pages256kB = 32
  const posts = Math.ceil((3 * pages256kB) / pagesOfOne)
  for (let post = 1; post <= posts; post += 1) await publishesOne(post)
  const pages = await sortsIn(world)
  ok(pages <= pages256kB + pagesOfOne, `${pages} pages after ${posts} posts of ${pagesOfOne}`)
})

test('every order', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  const posts = await shelf(world, author)
  const order = async (sort: string) => titles(await list(reader, { sort }))
  const newest = ['Fifth', 'Fourth', 'Third', 'Second', 'First']
  deepEqual(await order('newest'), newest)
  deepEqual(await order('oldest'), [...newest].reverse())
  deepEqual(await order('recommended'), newest)
  deepEqual((await order('price_asc')).slice(2), ['Third', 'Fifth', 'First'])
  deepEqual((await order('price_desc')).slice(0, 3), ['First', 'Fifth', 'Third'])
  const { pool } = world.services
  await pool.query('INSERT INTO post_figures (post_id, sales_count) VALUES ($1, 40)', [posts[0].id])
  await pool.query('INSERT INTO post_figures (post_id, heart, reader_count) VALUES ($1, 3, 5)', [posts[1].id])
  await indexStalePosts.run(world.services, {})
  deepEqual((await order('popular')).slice(0, 3), ['First', 'Second', 'Fifth'])
  equal((await order('recommended'))[0], 'First')
})

test('what readers do moves a Post and rewrites nothing else of it; a hundredth more moves nothing yet', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { pool } = world.services
  const post = await publishes(author, { title: 'Engines' })
  const entry = async () => {
    const { rows } = await pool.query(
      `SELECT popularity, stamp, terms, array_length(ARRAY(SELECT DISTINCT unnest(terms)), 1) AS distinct_terms,
         terms @> ARRAY[term_hash('band=' || floor(score)::text)] AS has_its_band,
         (SELECT count(*)::int FROM generate_series(floor(score)::int - 20, floor(score)::int + 20) band
           WHERE terms @> ARRAY[term_hash('band=' || band)]) AS bands,
         (SELECT sum(posts)::int FROM catalog_counts WHERE facet = 'band=' || floor(score)::text) AS in_its_band
       FROM (SELECT popularity, stamp, score, found.terms FROM catalog JOIN search_terms found USING (post_id)
         WHERE post_id = $1) entry`,
      [post.id],
    )
    return rows[0]
  }
  const draws = async (readers: number) => {
    await pool.query(
      `INSERT INTO post_figures (post_id, reader_count) VALUES ($1, $2)
       ON CONFLICT (post_id) DO UPDATE SET reader_count = excluded.reader_count`,
      [post.id, readers],
    )
    await indexStalePosts.run(world.services, {})
    return entry()
  }
  const before = await entry()
  const moved = await draws(400)
  deepEqual(
    [moved.popularity, moved.stamp, moved.distinct_terms, moved.has_its_band, moved.bands, moved.in_its_band],
    [400, before.stamp, before.distinct_terms, true, 1, 1],
  )
  deepEqual(titles(await list(reader, { q: 'engines' })), ['Engines'])
  equal((await draws(403)).popularity, 400)
  equal((await draws(404)).popularity, 404)
  equal((await draws(399)).popularity, 399)
  // Read and renamed before anyone looked, in either order: all of it is written again.
  for (const name of ['Anna', 'Berta']) {
    if (name === 'Anna') await pool.query('UPDATE post_figures SET heart = heart + 9 WHERE post_id = $1', [post.id])
    await author.publisher.calls(updateProfile, { body: { name } })
    if (name === 'Berta') await pool.query('UPDATE post_figures SET heart = heart + 9 WHERE post_id = $1', [post.id])
    await indexStalePosts.run(world.services, {})
    deepEqual(titles(await list(reader, { q: name })), ['Engines'])
  }
  equal((await entry()).popularity, 399 + 18 * 4)
})

test('a Post of tomorrow overtakes what was popular weeks ago', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const old = await publishes(author, { title: 'Old and loved' })
  await world.services.pool.query('INSERT INTO post_figures (post_id, sales_count) VALUES ($1, 10)', [old.id])
  await indexStalePosts.run(world.services, {})
  await world.advance(5 * 24 * 3600)
  await publishes(author, { title: 'New' })
  deepEqual(titles(await list(reader, {})), ['Old and loved', 'New'])
  await world.advance(20 * 24 * 3600)
  await publishes(author, { title: 'Newer' })
  equal(titles(await list(reader, {}))[0], 'Newer')
})

test('filters: access, author, category, language, attachments, and several together', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  await shelf(world, author)
  const robot = await payable(await world.creator())
  await robot.publisher.calls(declareAgent, {})
  await publishes(robot, { title: 'By a robot', creationMethod: 'autonomous_agent' })
  const found = async (query: object) => {
    const body = await list(reader, { sort: 'oldest', ...query })
    equal(body.total, body.data.length)
    return titles(body)
  }
  deepEqual(await found({ access: 'free' }), ['Second', 'Fourth'])
  deepEqual(await found({ access: 'paid', author: 'human' }), ['First', 'Third', 'Fifth'])
  deepEqual(await found({ author: 'agent' }), ['By a robot'])
  deepEqual(await found({ category: 'science' }), ['First'])
  deepEqual(await found({ category: 'no such thing' }), [])
  deepEqual(await found({ language: 'en-GB' }), ['First'])
  deepEqual(await found({ language: 'en-US' }), ['Fourth'])
  equal((await found({ language: 'en' })).length, 4)
  deepEqual(await found({ has_attachments: 'true' }), [])
  equal((await found({ has_attachments: 'false' })).length, 6)
  deepEqual(await found({ access: 'free', language: 'en-US', author: 'human' }), ['Fourth'])
  // Nothing in one filter can be taken for another.
  deepEqual(await found({ category: 'science,language=en-GB' }), [])
  deepEqual(await found({ category: 'science', language: 'en-GB' }), ['First'])
})

test('prices: up to a number of raw, free counts as zero; with an asset, what can be bought with it', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  await shelf(world, author)
  const both = await payableOnBase(await payable(await world.creator()))
  // One XNO is 1.25 dollars here: a dollar is 0.8 XNO.
  await publishes(both, { title: 'A dollar', priceCurrency: 'USDC', priceAtomic: '1000000' })
  await publishes(both, { title: 'Dear', priceCurrency: 'USDC', priceAtomic: '50000000' })
  await publishes(both, { title: 'Cheap in Nano', priceAtomic: xno('1') })
  const found = async (query: object) => {
    const body = await list(reader, query)
    equal(body.total, body.data.length)
    return titles(body).sort()
  }
  deepEqual(await found({ max_price_raw: '0' }), ['Fourth', 'Second'])
  deepEqual(await found({ max_price_raw: xno('30') }), ['Cheap in Nano', 'Fifth', 'Fourth', 'Second', 'Third'])
  ok((await found({ max_price_raw: xno('80') })).includes('A dollar'))
  ok(!(await found({ max_price_raw: `${79}${'9'.repeat(28)}` })).includes('A dollar'))
  const usdc = { asset: 'USDC', network: 'eip155:8453' }
  // 0.01 XNO is below the smallest USDC price; the first author takes no USDC at all.
  deepEqual(await found(usdc), ['A dollar', 'Dear'])
  deepEqual(await found({ ...usdc, max_amount_atomic: '1000000' }), ['A dollar'])
  deepEqual(await found({ ...usdc, max_amount_atomic: '999999' }), [])
  const nano = { asset: 'XNO', network: 'nano-mainnet', max_amount_atomic: xno('30') }
  deepEqual(await found(nano), ['Cheap in Nano', 'Fifth', 'Third'])
  deepEqual(await found({ ...nano, network: 'nano:mainnet' }), ['Cheap in Nano', 'Fifth', 'Third'])
  deepEqual(titles(await list(reader, { sort: 'price_desc' })).slice(0, 2), ['Dear', 'A dollar'])
  // What costs little in Nano, but cannot be bought with it, does not match.
  const onlyBase = await payableOnBase(await world.creator())
  const usdcOnly = await publishes(onlyBase, { title: 'USDC only', priceCurrency: 'USDC', priceAtomic: '1000000' })
  ok((await found(usdc)).includes('USDC only'))
  ok(!(await found({ max_price_raw: xno('90') })).includes('USDC only'))
  deepEqual(await found({ ...usdc, max_price_raw: xno('90') }), ['A dollar'])
  await onlyBase.publisher.calls(withdrawPost, { params: { postId: usdcOnly.id } })
  // A rail on which the author can no longer be paid is not offered.
  await both.owner.calls(clearBasePayoutAddress, {})
  await world.runJobs()
  deepEqual(await found(usdc), [])
  // Two hours later no rate is fresh: what has no price in Nano is left out of one filter, and last in the order.
  await reader.calls(setRates, { body: { XNO: '1.25', USDC: '1', at: world.services.clock.now().toISOString() } })
  await world.advance(2 * 3600)
  ok(!(await found({ max_price_raw: xno('900') })).includes('A dollar'))
  for (const [sort, last] of [
    ['price_asc', ['A dollar', 'Dear']],
    ['price_desc', ['Dear', 'A dollar']],
  ] as const) {
    const paged = []
    for (let page = 1; page <= 8; page += 1)
      paged.push(...titles(await list(reader, { sort, per_page: '1', page: `${page}` })))
    deepEqual(paged, titles(await list(reader, { sort })))
    deepEqual(paged.slice(-2), last)
    equal(new Set(paged).size, 8)
  }
  await reader.calls(setRates, { body: { XNO: '1.25', USDC: '1' } })
  equal(titles(await list(reader, { sort: 'price_desc' }))[0], 'Dear')
})

test('malformed filters are 400, each with its field', async (t) => {
  const { reader } = await authorIn(t)
  const refused: [Record<string, string>, string][] = [
    [{ sort: 'best' }, 'sort'],
    [{ access: 'some' }, 'access'],
    [{ author: 'alien' }, 'author'],
    [{ has_attachments: 'yes' }, 'has_attachments'],
    [{ has_attachments: '' }, 'has_attachments'],
    [{ max_price_raw: '1'.repeat(40) }, 'max_price_raw'],
    [{ max_price_raw: '-1' }, 'max_price_raw'],
    [{ max_price_raw: '1.5' }, 'max_price_raw'],
    [{ asset: 'XNO' }, 'network'],
    [{ network: 'nano-mainnet' }, 'asset'],
    [{ asset: 'XNO', network: 'eip155:8453' }, 'network'],
    [{ asset: 'DOGE', network: 'doge' }, 'asset'],
    [{ max_amount_atomic: '5' }, 'max_amount_atomic'],
    [{ asset: 'XNO', network: 'nano-mainnet', max_amount_atomic: '1'.repeat(79) }, 'max_amount_atomic'],
    [{ asset: 'XNO', network: 'nano-mainnet', max_amount_atomic: '5', max_price_raw: '5' }, 'max_price_raw'],
    [{ page: '0' }, 'page'],
    [{ page: '1001' }, 'page'],
    [{ per_page: '49' }, 'per_page'],
    [{ per_page: 'x' }, 'per_page'],
    [{ q: 'x'.repeat(101) }, 'q'],
  ]
  for (const [query, field] of refused) {
    const { status, body } = await reader.sends(listPublicPosts, { query })
    equal(status, 400, JSON.stringify(query))
    equal(body.errors[0].field, field, JSON.stringify(query))
  }
  equal((await reader.sends(listPublicPosts, { query: { q: ` ${'x'.repeat(100)} ` } })).status, 200)
  equal((await reader.sends(listPublicPosts, { query: { max_price_raw: '9'.repeat(39) } })).status, 200)
  equal((await reader.sends(listPublicPosts, { query: { page: '1000', per_page: '48' } })).status, 200)
})

test('twenty publish at once: totals and versions are exact', async (t) => {
  const { author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const posts = await Promise.all(
    Array.from({ length: 20 }, (_, index) => publishes(author, { title: `Post ${index}` })),
  )
  equal((await list(reader, {})).total, 20)
  await Promise.all(
    posts.slice(0, 15).map(({ id }) => author.publisher.calls(withdrawPost, { params: { postId: id } })),
  )
  const body = await list(reader, {})
  deepEqual([body.total, body.data.length], [5, 5])
  equal((await list(reader, { category: 'technology' })).total, 5)
})

test('a published paid Post keeps a price, though no rail can sell it for the moment', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author, { priceCurrency: 'USDC', priceAtomic: '1000000' })
  await reader.calls(setRates, { body: { XNO: '1.25', USDC: '1', at: '2020-01-01T00:00:00Z' } })
  const edit = (body: object) =>
    author.publisher.sends(updatePost, {
      params: { postId: post.id },
      headers: { 'x-post-revision': post.updatedAt },
      body,
    })
  for (const body of [{ priceCurrency: null }, { priceAtomic: '0' }]) {
    const refused = await edit(body)
    deepEqual([refused.status, refused.body.code], [422, 'publication-blocked'])
  }
  equal((await edit({ title: 'A typo fixed' })).status, 200)
  await world.runJobs()
})
