import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { parseFragment } from 'parse5'
import type { World } from '../test/world.ts'
import {
  attributeOf,
  authorIn,
  childOf,
  childrenOf,
  type Element,
  elementsOf,
  paidMarker,
  parseXml,
  publishes,
  textOf,
  visit,
} from './site-world.fixture.ts'

/** Every URL that could show something of a Post. */
function addressesOf(post: { id: string; slug: string }, handle: string, tag: string): string[] {
  const feeds = ['feed.xml', 'atom.xml', 'feed.json']
  const places = ['', `/@${handle}`, `/@${handle}/tags/${tag}`]
  return [
    ...['/', `/@${handle}`, `/@${handle}/tags/${tag}`, `/@${handle}/${post.slug}`],
    ...[`/posts/${post.id}`, `/posts/${post.id}.md`],
    ...places.flatMap((place) => feeds.map((feed) => `${place}/${feed}`)),
    ...['/sitemap.xml', '/sitemaps/posts-1.xml', '/sitemaps/creators-1.xml', '/sitemaps/collections-1.xml'],
    ...['/sitemaps/site.xml', '/robots.txt', '/llms.txt', `/api/posts/${post.id}`],
  ]
}

async function readAll(world: World, addresses: readonly string[]) {
  const replies = []
  for (const address of addresses) replies.push({ address, ...(await visit(world, address)) })
  return replies
}

test('not a character of a paid part is at any public address', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, { tags: ['Sea'], description: '', freeContentMarkdown: '' })
  for (const { address, status, text, headers } of await readAll(world, addressesOf(post, author.handle, 'sea'))) {
    equal(status, 200, address)
    ok(!text.includes(paidMarker) && !JSON.stringify(headers).includes(paidMarker), address)
  }
  const markdown = await visit(world, `/posts/${post.id}`, { accept: 'text/markdown' })
  ok(!markdown.text.includes(paidMarker))
})

test('a withdrawn Post is gone from everywhere at once', async (t) => {
  const { world, author } = await authorIn(t)
  await publishes(author, { title: 'It stays', tags: ['Sea'] })
  const post = await publishes(author, { title: 'Soon withdrawn', tags: ['Sea'] })
  await author.publisher.calls(updateProfile, { body: { pinnedPostId: post.id } })
  const addresses = addressesOf(post, author.handle, 'sea')
  const holds = (text: string) => text.includes('Soon withdrawn') || text.includes(post.id)
  const before = (await readAll(world, addresses)).filter(({ text }) => holds(text))
  ok(before.length >= 14, String(before.length))
  await author.publisher.calls(withdrawPost, { params: { postId: post.id } })
  for (const { address, text, status } of await readAll(world, addresses)) {
    ok(!text.includes('Soon withdrawn') && !text.includes(`posts/${post.id}`), address)
    equal(status, address.includes(post.id) || address.endsWith(`/${post.slug}`) ? 404 : 200, address)
  }
  for (const { address, headers, text } of before) {
    if (!headers.etag) continue
    const again = await visit(world, address, { 'if-none-match': headers.etag })
    ok(again.status !== 304, address)
    ok(text.includes('It stays') || address.includes(post.id) || /\.xml$|\/soon-withdrawn$/.test(address), address)
  }
})

const hostile = [
  '</title></script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  ']]><evil/><![CDATA[',
  '--><script>alert(1)</script><!--',
  '&lt;script&gt; &#0; &nbsp; &bogus;',
  'a\u0001\u0008\u000b\u001f\u007f\u0085\ufffe\uffffb',
  'turned \u202earound\u2066 and never back',
  'line\u2028separator\u2029here',
  '{{constructor}} <%= 1 %>',
  'title: "x"\n---\ninjected: true',
  'javascript:alert(1)',
]

const allowedScripts = (element: Element) =>
  element.tagName !== 'script' ||
  attributeOf(element, 'type') === 'application/ld+json' ||
  (/^\/assets\/[a-z-]+-[A-Z0-9]{8}\.js$/.test(attributeOf(element, 'src') ?? '') && textOf(element) === '')

/** Feed readers show a description as HTML. */
function hasPlainDescriptions(rss: string): void {
  const items = childrenOf(childOf(parseXml(rss), 'channel'), 'item')
  ok(items.length > 0)
  for (const item of items)
    ok(parseFragment(childOf(item, 'description').text).childNodes.every(({ nodeName }) => nodeName === '#text'))
}

test('what strangers write is text wherever it stands', async (t) => {
  const { world, author } = await authorIn(t)
  for (const text of hostile) {
    // Some of them are no name that anyone may have.
    await author.publisher.calls(updateProfile, { body: { name: text.slice(0, 40) } })
    equal((await author.publisher.calls(updateProfile, { body: { bio: text, location: text } })).status, 200)
    const post = await publishes(author, {
      title: text,
      description: text,
      creationDetails: text,
      tags: [text.slice(0, 60)],
      freeContentMarkdown: text,
    })
    const slug = encodeURIComponent(decodeURIComponent(post.tags[0].collectionUrl.split('/').at(-1)))
    for (const { address, status, text: shown, headers } of await readAll(
      world,
      addressesOf(post, author.handle, slug),
    )) {
      equal(status, 200, `${address}: ${text}`)
      const type = headers['content-type']!
      ok(!/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(shown) || /\.md$|^\/api/.test(address), `${address}: controls`)
      if (type.includes('json')) JSON.parse(shown)
      else if (type.includes('rss')) hasPlainDescriptions(shown)
      else if (type.includes('xml')) parseXml(shown)
      if (!type.startsWith('text/html')) continue
      const elements = elementsOf(shown)
      for (const element of elements) {
        ok(allowedScripts(element), `${address}: ${text}`)
        ok(
          !['img', 'evil', 'iframe', 'svg', 'object', 'base'].includes(element.tagName),
          `${address}: ${element.tagName}`,
        )
        for (const { name: attribute, value } of element.attrs) {
          ok(!attribute.startsWith('on') && attribute !== 'style', `${address}: ${attribute}`)
          if (['href', 'src', 'action'].includes(attribute)) ok(/^(https?:|mailto:|\/(?!\/)|#)/.test(value), value)
        }
      }
      // The page ends where we end it: nothing that was written closed one of its elements.
      equal(elements.filter(({ tagName }) => tagName === 'main').length, 1)
      equal(elements.filter(({ tagName }) => tagName === 'title').length, 1)
    }
    const twin = await visit(world, `/posts/${post.id}.md`)
    const front = twin.text.split('\n---\n')[0]!.split('\n').slice(1)
    for (const line of front) ok(/^[a-z_]+: (".*"|\[.*\])$/.test(line), line)
  }
})

test('directions that are switched do not reach what stands beside them', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const body = { bio: 'Turned \u202e around', location: 'Turned \u2067 around' }
  equal((await author.publisher.calls(updateProfile, { body })).status, 200)
  const post = await publishes(author, {
    title: 'Turned \u202e around',
    description: '\u202d',
    tags: ['Turned \u202e'],
  })
  for (const { address, text } of await readAll(world, addressesOf(post, author.handle, 'turned')))
    ok(!/[\u202a-\u202e\u2066-\u2069]/.test(text) || address.startsWith('/api/'), address)
})
