import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import {
  attributeOf,
  authorIn,
  childOf,
  elementsOf,
  markupErrors,
  paidMarker,
  parseXml,
  publishes,
  textOf,
  visit,
} from './site-world.fixture.ts'

const oEmbedOf = (url: string, more = '') => `/oembed?url=${encodeURIComponent(url)}${more}`

test('a post is embedded by any of its URLs, as JSON or XML, with a frame in the size that was asked for', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada & Co' })
  const post = await publishes(author, { title: 'Engines "&" <b>' })
  const old = `${world.origin}/@${author.handle}/${post.slug}`
  const headers = { 'x-post-revision': post.updatedAt }
  await author.publisher.calls(updatePost, { params: { postId: post.id }, headers, body: { title: 'New & "old" <b>' } })
  const { status, headers: sent, text } = await visit(world, oEmbedOf(`${world.origin}/posts/${post.id}`))
  equal(status, 200)
  equal(sent['content-type'], 'application/json; charset=utf-8')
  const shown = JSON.parse(text)
  const { html, thumbnail_url, ...facts } = shown
  deepEqual(facts, {
    version: '1.0',
    type: 'rich',
    title: 'New & "old" <b>',
    author_name: 'Ada & Co',
    author_url: `${world.origin}/@${author.handle}`,
    provider_name: 'Pennypost',
    provider_url: world.origin,
    cache_age: 3600,
    thumbnail_width: 1200,
    thumbnail_height: 630,
    width: 600,
    height: 280,
  })
  match(thumbnail_url, /\/cards\/[0-9a-f-]+\.png$/)
  const frame = elementsOf(html).find(({ tagName }) => tagName === 'iframe')
  deepEqual(
    ['src', 'title', 'width', 'sandbox'].map((name) => attributeOf(frame, name)),
    [`${world.origin}/embed/posts/${post.id}`, 'New & "old" <b>', '600', 'allow-popups allow-popups-to-escape-sandbox'],
  )
  for (const url of [old, `${old}?gift=abc`, `${world.origin}/posts/${post.id}#comments`])
    deepEqual(JSON.parse((await visit(world, oEmbedOf(url))).text), shown, url)
  const small = JSON.parse((await visit(world, oEmbedOf(old, '&maxwidth=320&maxheight=200'))).text)
  deepEqual([small.width, small.height, small.thumbnail_url], [320, 200, undefined])
  const inXml = await visit(world, oEmbedOf(old, '&format=xml'))
  equal(inXml.headers['content-type'], 'text/xml; charset=utf-8')
  const root = parseXml(inXml.text)
  deepEqual([root.name, childOf(root, 'title').text, childOf(root, 'html').text], ['oembed', 'New & "old" <b>', html])
})

test('the page of a post names its oEmbed, which describes that page', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  const links = elementsOf((await visit(world, `/posts/${post.id}`)).text).filter(
    (found) => found.tagName === 'link' && attributeOf(found, 'type')?.endsWith('+oembed'),
  )
  deepEqual(
    links.map((link) => attributeOf(link, 'type')),
    ['application/json+oembed', 'text/xml+oembed'],
  )
  for (const link of links)
    equal((await visit(world, attributeOf(link, 'href')!.slice(world.origin.length))).status, 200)
})

test('nothing else is embedded: other sites, other pages, drafts and withdrawn posts', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  const { origin } = world
  const urls = [
    `https://elsewhere.example/posts/${post.id}`,
    `${origin}.evil.example/posts/${post.id}`,
    `${origin}/`,
    `${origin}/@${author.handle}`,
    `${origin}/posts/not-an-id`,
    `${origin}/posts/${post.id}/more`,
    `${origin}/@${author.handle}/%ff`,
    `${origin}/@${author.handle}/${'x'.repeat(300)}`,
    'posts',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ]
  for (const url of urls) equal((await visit(world, oEmbedOf(url))).status, 404, url)
  for (const query of ['', '?url=', `?url=${'x'.repeat(2_001)}`, '?url=a&format=yaml', '?url=a&maxwidth=-1'])
    equal((await visit(world, `/oembed${query}`)).status, 400, query)
  await author.publisher.calls(withdrawPost, { params: { postId: post.id } })
  equal((await visit(world, oEmbedOf(`${origin}/posts/${post.id}`))).status, 404)
  equal((await visit(world, `/embed/posts/${post.id}`)).status, 404)
})

test('the page in the frame has no script, may be framed by anyone, and shows only what is public', async (t) => {
  const { world, author } = await authorIn(t, { name: '<i>Ada</i>' })
  const post = await publishes(author, { title: '<script>alert(1)</script>' })
  const { status, headers, text } = await visit(world, `/embed/posts/${post.id}`)
  equal(status, 200)
  const policy = headers['content-security-policy']!
  ok(policy.includes('frame-ancestors *') && policy.includes("default-src 'none'") && !policy.includes('script-src'))
  equal(headers['x-frame-options'], undefined)
  deepEqual(markupErrors(text), [])
  const elements = elementsOf(text)
  deepEqual(elements.filter(({ tagName }) => ['script', 'form', 'iframe', 'i', 'b'].includes(tagName)).map(textOf), [
    '$0.31 · 0.25 XNO',
  ])
  const heading = elements.find(({ tagName }) => tagName === 'h1')
  equal(textOf(heading), '<script>alert(1)</script>')
  const links = elements.filter(({ tagName }) => tagName === 'a')
  for (const link of links)
    deepEqual(
      ['href', 'target', 'rel'].map((name) => attributeOf(link, name)),
      [`${world.origin}/@${author.handle}/${post.slug}`, '_blank', 'noopener'],
    )
  ok(links.length > 0)
  ok(!text.includes(paidMarker))
  ok(elements.some((found) => attributeOf(found, 'content') === 'noindex'))
  const page = await visit(world, `/posts/${post.id}`)
  ok(page.headers['content-security-policy']!.includes("frame-ancestors 'none'"), 'other pages cannot be framed')
})
