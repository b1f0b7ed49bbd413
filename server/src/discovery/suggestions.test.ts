import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { suggestSearches } from '@pennypost/contract/search-suggestions'
import { payable, publish, wholePost } from '../posts/posts.fixture.ts'
import { rowsRead, scansOf } from '../test/rows-read.ts'
import { createWorld, emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { suggestionsSql, suggestionValues } from './suggestion-store.ts'

const suggest = async (world: World, q: string) => {
  const { status, body, headers } = await world.stranger().calls(suggestSearches, { query: { q } })
  equal(status, 200, JSON.stringify(body))
  return { ...body, headers }
}

const titles = async (world: World, q: string): Promise<string[]> =>
  (await suggest(world, q)).posts.map(({ title }: { title: string }) => title)

async function authorWith(world: World, posts: readonly object[], options: { name?: string; handle?: string } = {}) {
  const author = await payable(await world.creator(options))
  const ids: string[] = []
  for (const post of posts) ids.push((await publish(author, { ...wholePost, ...post })).id)
  await world.runJobs()
  return { author, ids }
}

test('words are completed and typos forgiven, without case and accents', async (t) => {
  const world = await emptiedWorld(t)
  await authorWith(world, [{ title: 'Crème brûlée at Home' }, { title: 'Analytical Engines' }])
  for (const q of ['cre', 'CRÈME', 'brul', 'brûlée', 'creme brulee', 'Hom', 'bruleé'])
    deepEqual(await titles(world, q), ['Crème brûlée at Home'], q)
  for (const q of ['analitical', 'analytcal', 'enginse', 'Anal'])
    deepEqual(await titles(world, q), ['Analytical Engines'], q)
  deepEqual(await titles(world, 'zzz'), [])
})

test('a suggestion has what a client shows and the URL it links to', async (t) => {
  const world = await emptiedWorld(t)
  const { author, ids } = await authorWith(world, [{ title: 'On engines', tags: ['Machine learning'] }], {
    name: 'Ada Lovelace',
    handle: 'ada_l',
  })
  const { posts } = await suggest(world, 'engin')
  deepEqual(posts, [
    {
      id: ids[0],
      title: 'On engines',
      url: `http://pennypost.test/posts/${ids[0]}`,
      pageUrl: 'http://pennypost.test/@ada_l/on-engines',
    },
  ])
  for (const q of ['lovel', 'ada_l', '@ada', 'Lovelcae'])
    deepEqual((await suggest(world, q)).creators, [
      { id: author.accountId, handle: 'ada_l', name: 'Ada Lovelace', avatarUrl: null },
    ])
  const [tag] = (await suggest(world, 'mach')).tags
  deepEqual(
    [tag.name, tag.slug, tag.url],
    ['Machine learning', 'machine-learning', 'http://pennypost.test/tags/machine-learning'],
  )
  const page = await world.server.inject({ url: '/tags/machine-learning' })
  equal(page.statusCode, 200)
  match(page.body, /<h1 dir="auto">Machine learning<\/h1>[\s\S]*On engines/)
  equal((await world.server.inject({ url: '/tags/Machine-Learning' })).headers.location, '/tags/machine-learning')
  equal((await world.server.inject({ url: '/tags/unknown' })).statusCode, 404)
  match((await suggest(world, 'engin')).headers.get('cache-control')!, /^public, max-age=60/)
})

test('only public data is suggested', async (t) => {
  const world = await emptiedWorld(t)
  const { author, ids } = await authorWith(world, [
    { title: 'Going away', tags: ['Goldfish'] },
    {
      title: 'Other',
      freeContentMarkdown: 'hidden text',
      enablePaywall: true,
      paidContentMarkdown: 'secretword',
      priceCurrency: 'XNO',
      priceAtomic: '1000000000000000000000000000000',
    },
  ])
  await author.publisher.sends(createPost, {
    body: { ...wholePost, title: 'Going nowhere', tags: ['Gold'] },
  })
  deepEqual(await titles(world, 'going'), ['Going away'])
  deepEqual(
    (await suggest(world, 'gold')).tags.map(({ name }: { name: string }) => name),
    ['Goldfish'],
  )
  for (const q of ['secretword', 'hidden']) deepEqual(await titles(world, q), [])
  equal((await author.publisher.calls(withdrawPost, { params: { postId: ids[0]! } })).status, 200)
  deepEqual(await titles(world, 'going'), [])
  deepEqual((await suggest(world, 'gold')).tags, [])
  // Nobody has chosen a generated handle.
  const { db } = world.services
  await db
    .updateTable('accounts')
    .set({ handle: 'user_zxcvbn', name: 'Zxcvbn' })
    .where('id', '=', author.accountId)
    .execute()
  deepEqual((await suggest(world, 'zxcvbn')).creators, [])
  await world.runJobs()
})

test('creators are authors of a public post, not everyone with an account', async (t) => {
  const world = await emptiedWorld(t)
  const { author, ids } = await authorWith(world, [{ title: 'One' }], { name: 'Quentin Writer', handle: 'quentin_w' })
  await world.creator({ name: 'Quentin Reader', handle: 'quentin_r' })
  const drafting = await world.creator({ name: 'Quentin Drafter', handle: 'quentin_d' })
  await drafting.publisher.sends(createPost, { body: { ...wholePost, title: 'Not yet' } })
  // The post of another author, who comes after all others in the order of ids.
  const last = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
  const { pool } = world.services
  await pool.query(`INSERT INTO accounts (id, name, handle, created_at) VALUES ($1, 'Last', 'last', now())`, [last])
  await pool.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     VALUES (gen_random_uuid(), $1, 'published', 'last', 'Last', 1, now(), 1, now())`,
    [last],
  )
  const names = async () => (await suggest(world, 'quentin')).creators.map(({ name }: { name: string }) => name)
  deepEqual(await names(), ['Quentin Writer'])
  equal((await author.publisher.calls(withdrawPost, { params: { postId: ids[0]! } })).status, 200)
  deepEqual(await names(), [])
  await world.runJobs()
})

test('there are at most five of each, and a tag of several creators is one', async (t) => {
  const world = await emptiedWorld(t)
  for (let people = 0; people < 6; people += 1)
    await authorWith(world, [{ title: `Sailing ${people}`, tags: ['Sailing', `Sailing ${people}`] }], {
      name: `Sailing ${people}`,
    })
  const { posts, creators, tags } = await suggest(world, 'sail')
  deepEqual([posts.length, creators.length, tags.length], [5, 5, 5])
  equal(tags.filter(({ slug }: { slug: string }) => slug === 'sailing').length, 1)
})

test('queries that are empty, too long or hostile do no harm', async (t) => {
  const world = await sharedWorld(t)
  for (const q of ['', '   ', 'x'.repeat(101), '\u0000', 'a\u0000b']) {
    const { status, body } = await world.stranger().sends(suggestSearches, { query: { q } })
    deepEqual([status, body.data.code], [400, 'invalid_request'], q)
  }
  for (const q of ['%', '_', '\\', "'", '"', '(', '*', '%_\\%', '😀', '漢字'])
    deepEqual((await suggest(world, q)).tags, [], q)
})

test('suggestions are limited by address', async (t) => {
  const world = await sharedWorld(t, { LIMITS: 'search-suggestions=2/60' })
  const person = world.stranger()
  const statuses = []
  for (let times = 0; times < 3; times += 1)
    statuses.push((await person.calls(suggestSearches, { query: { q: 'a' } })).status)
  deepEqual(statuses, [200, 200, 429])
})

test('with many posts, people and tags, no table is scanned', async (t) => {
  const world = await createWorld(t)
  const { author } = await authorWith(world, [{ title: 'Needle' }])
  const { searchPool } = world.services
  await world.inSession(async (client) => {
    // Without triggers: each would claim a slug.
    await client.query('SET session_replication_role = replica; SET statement_timeout = 0')
    await client.query(
      `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
       SELECT gen_random_uuid(), $1, 'published', 'p' || n, 'Post ' || md5(n::text) || ' ' || n, 1, now(), n, now()
       FROM generate_series(1, 20000) n`,
      [author.accountId],
    )
    await client.query(
      `INSERT INTO tags (id, account_id, name, slug, created_at)
       SELECT gen_random_uuid(), $1, md5(n::text), 't' || n, now() FROM generate_series(1, 5000) n`,
      [author.accountId],
    )
    await client.query(
      `INSERT INTO accounts (id, name, handle, created_at)
       SELECT gen_random_uuid(), md5(n::text), 'z' || n, now() FROM generate_series(1, 5000) n`,
    )
    await client.query('VACUUM ANALYZE posts, tags, accounts')
  })
  for (const q of ['needle', 'neadle', 'ne']) {
    const nodes = await scansOf(searchPool, suggestionsSql, suggestionValues(q, 5))
    ok(!nodes.some((node) => node.startsWith('Seq Scan')), nodes.join())
  }
  // A letter that the handles of all readers start with: none of them is looked at.
  const read = await rowsRead(searchPool, { name: 'suggest', text: suggestionsSql }, suggestionValues('z', 5))
  ok(read < 100, `${read} rows were read`)
})
