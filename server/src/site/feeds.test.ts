import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { parseFragment } from 'parse5'
import { authorIn, childOf, childrenOf, paid, parseXml, publishes, visit } from './site-world.fixture.ts'

const files = ['feed.xml', 'atom.xml', 'feed.json']
const contentTypes: Record<string, string> = {
  'feed.xml': 'application/rss+xml; charset=utf-8',
  'atom.xml': 'application/atom+xml; charset=utf-8',
  'feed.json': 'application/feed+json; charset=utf-8',
}

/** The titles of a feed's items, whichever format it has. */
function titlesIn(file: string, text: string): string[] {
  if (file === 'feed.json') return JSON.parse(text).items.map(({ title }: { title: string }) => title)
  const root = parseXml(text)
  const items = file === 'feed.xml' ? childrenOf(childOf(root, 'channel'), 'item') : childrenOf(root, 'entry')
  return items.map((item) => childOf(item, 'title').text)
}

test('RSS has all that the format asks for, and the free part with absolute links', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada & Co' })
  const post = await publishes(author, { title: 'Engines & <b>', tags: ['Sea & Sky'] })
  const { status, headers, text } = await visit(world, '/feed.xml')
  equal(status, 200)
  equal(headers['content-type'], 'application/rss+xml; charset=utf-8')
  const root = parseXml(text)
  deepEqual([root.name, root.attributes.version], ['rss', '2.0'])
  const channel = childOf(root, 'channel')
  deepEqual(
    ['title', 'link', 'description'].map((name) => childOf(channel, name).text),
    ['Pennypost', `${world.origin}/`, 'Good writing, free or for a few cents'],
  )
  equal(childOf(channel, 'atom:link').attributes.href, `${world.origin}/feed.xml`)
  const item = childOf(channel, 'item')
  const url = `${world.origin}/@${author.handle}/${post.slug}`
  deepEqual(
    ['title', 'link', 'guid', 'dc:creator', 'category', 'description'].map((name) => childOf(item, name).text),
    ['Engines & <b>', url, `urn:uuid:${post.id}`, 'Ada & Co', 'Sea & Sky', 'What they can do'],
  )
  equal(new Date(childOf(item, 'pubDate').text).getTime(), Math.floor(Date.parse(post.publishedAt) / 1000) * 1000)
  const html = childOf(item, 'content:encoded').text
  ok(html.includes(`href="${url}#content-the-free-part"`) && html.includes(`href="${world.origin}/docs"`))
  ok(!/href="[/#]/.test(html))
  ok(html.includes('Written by a human with the help of AI.') && html.includes('costs 0.25 XNO'))
  ok(parseFragment(html).childNodes.length > 0)
})

test('Atom has an id, a time, an author and its language in every entry', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author)
  const root = parseXml((await visit(world, `/@${author.handle}/atom.xml`)).text)
  deepEqual([root.name, root.attributes.xmlns], ['feed', 'http://www.w3.org/2005/Atom'])
  equal(childOf(root, 'id').text, `${world.origin}/@${author.handle}/atom.xml`)
  equal(childOf(root, 'title').text, 'Ada L')
  ok(Date.parse(childOf(root, 'updated').text) >= Date.parse(post.publishedAt))
  const entry = childOf(root, 'entry')
  equal(entry.attributes['xml:lang'], 'en-GB')
  equal(childOf(entry, 'id').text, `urn:uuid:${post.id}`)
  equal(childOf(entry, 'published').text, post.publishedAt)
  equal(childOf(childOf(entry, 'author'), 'name').text, 'Ada L')
  equal(childOf(entry, 'content').attributes.type, 'html')
  match(childOf(entry, 'content').text, /<strong>world<\/strong>/)
})

test('JSON Feed follows version 1.1', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author, { tags: ['Sea'] })
  const feed = JSON.parse((await visit(world, `/@${author.handle}/tags/sea/feed.json`)).text)
  equal(feed.version, 'https://jsonfeed.org/version/1.1')
  equal(feed.title, 'Sea · Ada L')
  equal(feed.home_page_url, `${world.origin}/@${author.handle}/tags/sea`)
  equal(feed.feed_url, `${world.origin}/@${author.handle}/tags/sea/feed.json`)
  const [item] = feed.items
  deepEqual(
    [item.id, item.url, item.date_published, item.language, item.tags, item.authors],
    [
      `urn:uuid:${post.id}`,
      `${world.origin}/@${author.handle}/${post.slug}`,
      post.publishedAt,
      'en-GB',
      ['Sea'],
      [{ name: 'Ada L', url: `${world.origin}/@${author.handle}` }],
    ],
  )
  deepEqual(item._pennypost, { ai_disclosure: 'ai-assisted', price: '0.25 XNO' })
})

test('each feed has its own posts, the newest first, in every format', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  for (const [title, tags] of [
    ['One', ['Sea']],
    ['Two', []],
    ['Three', ['Sea']],
  ] as const) {
    await publishes(author, { title, tags })
    await world.advance(60)
  }
  await author.publisher.calls(createPost, { body: { ...paid, title: 'A draft', tags: ['Sea'] } })
  for (const file of files) {
    for (const [path, titles] of [
      ['', ['Three', 'Two', 'One']],
      [`/@${author.handle}`, ['Three', 'Two', 'One']],
      [`/@${author.handle}/tags/sea`, ['Three', 'One']],
    ] as const) {
      const { headers, text } = await visit(world, `${path}/${file}`)
      equal(headers['content-type'], contentTypes[file])
      deepEqual(titlesIn(file, text), titles, `${path}/${file}`)
    }
  }
})

test('a feed of nothing is still a feed; one of nobody is 404', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  for (const file of files) {
    deepEqual(titlesIn(file, (await visit(world, `/${file}`)).text), [])
    deepEqual(titlesIn(file, (await visit(world, `/@${author.handle}/${file}`)).text), [])
    for (const missing of [`/@nobody_here/${file}`, `/@${author.handle}/tags/nothing/${file}`]) {
      const { status, headers } = await visit(world, missing)
      deepEqual([status, headers['content-type']], [404, 'application/problem+json; charset=utf-8'], missing)
    }
  }
})

test('a feed has the newest 50, and of a very long Post only how it begins', async (t) => {
  const { world, author } = await authorIn(t)
  const first = await publishes(author, { title: 'The very first' })
  await world.services.pool.query(
    `INSERT INTO posts (id, account_id, status, slug, title, free_html, free_text, renderer_version, created_at, updated_us, published_at)
     SELECT gen_random_uuid(), account_id, 'published', slug, 'Copy ' || number, free_html, free_text, 1, created_at, updated_us,
       published_at + number * interval '1 minute'
     FROM posts, generate_series(1, 49) number WHERE id = $1`,
    [first.id],
  )
  await world.advance(3600)
  const long = await publishes(author, { title: 'Long', freeContentMarkdown: 'word '.repeat(20_000) })
  const { items } = JSON.parse((await visit(world, '/feed.json')).text)
  equal(items.length, 50)
  equal(items[0].id, `urn:uuid:${long.id}`)
  ok(items[0].content_html.length < 2000 && items[0].content_html.includes('Read on'))
  ok(!items.some(({ title }: { title: string }) => title === 'The very first'))
})

test('who has a feed is answered 304 by its ETag or its time, until a Post is changed or withdrawn', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const older = await publishes(author, { title: 'Older', tags: ['Sea'] })
  await world.advance(60)
  const newer = await publishes(author, { title: 'Newer', tags: ['Sea'] })
  await world.advance(60)
  const paths = files.flatMap((file) =>
    ['', `/@${author.handle}`, `/@${author.handle}/tags/sea`].map((at) => `${at}/${file}`),
  )
  const held = new Map<string, Record<string, string>>()
  for (const path of paths) {
    const { headers } = await visit(world, path)
    held.set(path, { etag: headers.etag!, modified: headers['last-modified']! })
    const byName = await visit(world, path, { 'if-none-match': headers.etag! })
    deepEqual([byName.status, byName.text], [304, ''], path)
    equal((await visit(world, path, { 'if-modified-since': headers['last-modified']! })).status, 304, path)
    const older = new Date(Date.parse(headers['last-modified']!) - 1000).toUTCString()
    equal((await visit(world, path, { 'if-modified-since': older })).status, 200, path)
    // The name counts for more.
    const both = { 'if-none-match': '"other"', 'if-modified-since': headers['last-modified']! }
    equal((await visit(world, path, both)).status, 200, path)
  }
  await author.publisher.calls(withdrawPost, { params: { postId: older.id } })
  await world.advance(60)
  for (const path of paths) {
    const { etag, modified } = held.get(path)!
    const byName = await visit(world, path, { 'if-none-match': etag! })
    equal(byName.status, 200, path)
    deepEqual(titlesIn(path.split('/').at(-1)!, byName.text), ['Newer'])
    equal((await visit(world, path, { 'if-modified-since': modified! })).status, 200, path)
  }
  const [before, patch] = [(await visit(world, '/feed.xml')).headers.etag!, { title: 'Newest' }]
  const revision = { 'x-post-revision': newer.updatedAt }
  await author.publisher.calls(updatePost, { params: { postId: newer.id }, headers: revision, body: patch })
  const justNow = await visit(world, '/feed.xml', { 'if-none-match': before })
  deepEqual(titlesIn('feed.xml', justNow.text), ['Newest'])
  // In the second of a change a time cannot tell before from after.
  equal(justNow.headers['last-modified'], undefined)
})

test('addresses begin with the trusted origin that was asked; a Post has one id on all of them', async (t) => {
  const { world, author } = await authorIn(t, {}, { settings: { ALT_BASE_URL: 'http://second.test' } })
  const post = await publishes(author)
  const itemFor = async (host: string) => JSON.parse((await visit(world, '/feed.json', { host })).text).items[0]
  const [first, second] = [await itemFor('pennypost.test'), await itemFor('second.test')]
  equal(first.url, `${world.origin}/@${author.handle}/${post.slug}`)
  equal(second.url, `http://second.test/@${author.handle}/${post.slug}`)
  ok(second.content_html.includes('href="http://second.test/docs"'))
  equal(first.id, second.id)
  deepEqual(await itemFor('made-up.test'), first)
  const { text } = await visit(world, `/posts/${post.id}`, { host: 'made-up.test', 'x-forwarded-host': 'evil.test' })
  ok(!text.includes('made-up.test') && !text.includes('evil.test'))
})
