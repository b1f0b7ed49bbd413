import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import fc from 'fast-check'
import { createWorld, type World } from '../test/world.ts'
import { listGuides } from './guides/guides.ts'
import { authorIn, authorOf, childOf, childrenOf, paid, parseXml, publishes, visit } from './site-world.fixture.ts'
import { idAfter, rangeOf, rangesFor } from './sitemap-ranges.ts'

async function locationsOf(world: World, path: string): Promise<string[]> {
  const { status, headers, text } = await visit(world, path)
  equal(status, 200, path)
  equal(headers['content-type'], 'application/xml; charset=utf-8')
  const root = parseXml(text)
  equal(root.attributes.xmlns, 'http://www.sitemaps.org/schemas/sitemap/0.9')
  return root.children.map((child) => childOf(child, 'loc').text)
}

/** Every address that a crawler finds. */
async function crawl(world: World): Promise<string[]> {
  const found: string[] = []
  for (const part of await locationsOf(world, '/sitemap.xml'))
    found.push(...(await locationsOf(world, part.slice(world.origin.length))))
  return found
}

test('the sitemap leads to every public Post, creator and collection, and to nothing else', async (t) => {
  const { world, author } = await authorIn(t)
  const site = [`${world.origin}/`, `${world.origin}/docs`]
  for (const { slug } of listGuides()) site.push(`${world.origin}/docs/${slug}`)
  deepEqual(await crawl(world), site)
  const silent = await authorOf(world)
  const { body: draft } = await author.publisher.calls(createPost, { body: { ...paid, tags: ['Only drafts'] } })
  const post = await publishes(author, { tags: ['深海'] })
  const gone = await publishes(silent, { tags: ['Gone'] })
  await silent.publisher.calls(withdrawPost, { params: { postId: gone.id } })
  deepEqual(await crawl(world), [
    ...site,
    `${world.origin}/@${author.handle}/${post.slug}`,
    `${world.origin}/@${author.handle}`,
    post.tags[0].collectionUrl,
  ])
  ok(draft.id)
  for (const address of await crawl(world)) equal((await visit(world, address.slice(world.origin.length))).status, 200)
  const [entry] = childrenOf(parseXml((await visit(world, '/sitemaps/posts-1.xml')).text), 'url')
  match(childOf(entry!, 'lastmod').text, /^\d{4}-\d\d-\d\dT/)
  await author.publisher.calls(withdrawPost, { params: { postId: post.id } })
  deepEqual(await crawl(world), site)
})

test('a part is read in batches and has every Post of its range once', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const post = await publishes(author)
  await world.services.pool.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     SELECT gen_random_uuid(), account_id, 'published', slug, title, 1, created_at, updated_us, published_at
     FROM posts, generate_series(1, 2500) WHERE id = $1`,
    [post.id],
  )
  const { rows } = await world.services.pool.query<{ slug: string }>('SELECT slug FROM posts ORDER BY id')
  const all = await locationsOf(world, '/sitemaps/posts-1.xml')
  deepEqual(
    all,
    rows.map(({ slug }) => `${world.origin}/@${author.handle}/${slug}`),
  )
  const quarters = []
  for (const number of [4, 5, 6, 7]) quarters.push(...(await locationsOf(world, `/sitemaps/posts-${number}.xml`)))
  deepEqual(quarters, all)
})

test('a part may be empty; parts that are none are 404', async (t) => {
  const { world } = await authorIn(t, {}, { isolation: 'emptied' })
  deepEqual(await locationsOf(world, '/sitemaps/posts-1.xml'), [])
  for (const part of ['posts-0', 'posts', 'nothing-1', 'posts-99999', 'posts-1.5', '%00'])
    equal((await visit(world, `/sitemaps/${part}.xml`)).status, 404, part)
})

test('the ranges of one depth cover every id once, in order', () => {
  for (const count of [0, 1, 10_000, 10_001, 1_000_000, 1e12]) {
    const ranges = rangesFor(count, 10_000).map(rangeOf)
    equal(ranges[0]!.first, '00000000-0000-0000-0000-000000000000')
    equal(ranges.at(-1)!.last, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    for (let index = 1; index < ranges.length; index += 1) equal(idAfter(ranges[index - 1]!.last), ranges[index]!.first)
  }
  equal(rangesFor(10_000, 10_000).length, 1)
  equal(rangesFor(1_000_000, 10_000).length, 128)
  equal(idAfter('ffffffff-ffff-ffff-ffff-ffffffffffff'), undefined)
})

test('a range lies inside the one it is half of', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 9999 }), (number) => {
      const [outer, inner] = [rangeOf(number >> 1), rangeOf(number)]
      ok(outer.first <= inner.first && inner.last <= outer.last && inner.first < inner.last)
    }),
  )
})

test('security.txt names the contact that the operator has set, and is not there without one', async (t) => {
  const world = await createWorld(t)
  const missing = await visit(world, '/.well-known/security.txt')
  equal(missing.status, 404)
  const { config } = world.services
  Object.assign(world.services, { config: { ...config, securityContact: 'mailto:security@pennypost.test' } })
  const { status, text, headers } = await visit(world, '/.well-known/security.txt')
  equal(status, 200)
  match(headers['content-type']!, /^text\/plain; charset=utf-8/)
  const [contact, expires, canonical] = text.split('\n')
  equal(contact, 'Contact: mailto:security@pennypost.test')
  const left = Date.parse(expires!.replace('Expires: ', '')) - world.services.clock.now().getTime()
  ok(left > 86_400_000 && left < 365 * 86_400_000)
  equal(canonical, `Canonical: ${world.origin}/.well-known/security.txt`)
})

test('crawlers may read public pages but no private ones; language models find a guide', async (t) => {
  const { world } = await authorIn(t)
  const robots = await visit(world, '/robots.txt')
  match(robots.headers['content-type']!, /^text\/plain/)
  for (const line of ['User-agent: *', 'Disallow: /api/v1/', 'Disallow: /dev/', `Sitemap: ${world.origin}/sitemap.xml`])
    ok(robots.text.split('\n').includes(line), line)
  const { headers, text } = await visit(world, '/llms.txt')
  match(headers['content-type']!, /^text\/markdown/)
  match(text, /^# Pennypost\n\n> /)
  for (const path of ['/openapi.json', '/api/posts', '/.well-known/x402/posts', '/posts/{postId}.md', '/sitemap.xml'])
    ok(text.includes(world.origin + path), path)
})

test('the site has an icon: every page names it, and browsers that look for an older one find it', async (t) => {
  const { world } = await authorIn(t)
  const icon = await visit(world, '/favicon.svg')
  deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
  match(icon.text, /^<svg xmlns=/)
  for (const url of ['/', '/docs', '/@nobody'])
    match((await visit(world, url)).text, /<link rel="icon" href="\/favicon\.svg"/)
  const old = await visit(world, '/favicon.ico')
  deepEqual([old.status, old.headers.location], [308, '/favicon.svg'])
})
