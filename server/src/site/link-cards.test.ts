import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { updateSiteSettings } from '@pennypost/contract/site-settings'
import sharp from 'sharp'
import { administrator } from '../discussion/discussion.fixture.ts'
import { paidPost, wholePost } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import { createWorld, type World } from '../test/world.ts'
import { sendImage } from '../uploads/uploads.fixture.ts'
import { attributeOf, authorIn, authorOf, elementsOf, publishes, textOf, visit } from './site-world.fixture.ts'

async function metaOf(world: World, postId: string) {
  const elements = elementsOf((await visit(world, `/posts/${postId}`)).text)
  const content = (attribute: string, name: string) =>
    attributeOf(
      elements.find((found) => found.tagName === 'meta' && attributeOf(found, attribute) === name),
      'content',
    )
  const facts = elements.find((found) => attributeOf(found, 'type') === 'application/ld+json')
  return { content, facts: JSON.parse(textOf(facts)) }
}

const cardUrl = async (world: World, postId: string): Promise<string> => {
  const url = (await metaOf(world, postId)).content('property', 'og:image')!
  ok(url.startsWith(`${world.origin}/cards/${postId}-`), url)
  return url.slice(world.origin.length)
}

async function fetchCard(world: World, url: string, headers: Record<string, string> = {}) {
  const reply = await world.server.inject({
    method: 'GET',
    url,
    headers: { host: new URL(world.origin).host, ...headers },
  })
  return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload }
}

const sizeOf = async (bytes: Buffer) => {
  const { format, width, height } = await sharp(bytes).metadata()
  return [format, width, height]
}

async function changes(author: Creator, postId: string, body: object) {
  const { body: post } = await author.publisher.calls(getPost, { params: { postId } })
  const reply = await author.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body,
  })
  equal(reply.status, 200)
}

for (const [kind, input] of [
  ['free', wholePost],
  ['paid', paidPost],
] as const)
  test(`a ${kind} post has a picture for links: 1200×630, never changing, the same for the card and for search engines`, async (t) => {
    const { world, author } = await authorIn(t)
    const { id } = await publishes(author, input)
    const { content, facts } = await metaOf(world, id)
    const url = await cardUrl(world, id)
    equal(content('name', 'twitter:card'), 'summary_large_image')
    deepEqual(
      ['type', 'width', 'height'].map((part) => content('property', `og:image:${part}`)),
      ['image/png', '1200', '630'],
    )
    deepEqual(facts.image, [world.origin + url])
    equal(facts.publisher.logo.url, `${world.origin}/favicon.svg`)

    const card = await fetchCard(world, url)
    equal(card.status, 200)
    equal(card.headers['content-type'], 'image/png')
    equal(card.headers['cache-control'], 'public, max-age=31536000, immutable')
    deepEqual(await sizeOf(card.bytes), ['png', 1200, 630])
    const { etag } = card.headers
    equal((await fetchCard(world, url, { 'if-none-match': String(etag) })).status, 304)
    // The second time it comes from the store.
    ok((await fetchCard(world, url)).bytes.equals(card.bytes))
  })

test('a card is drawn once, however many ask for it', async (t) => {
  const world = await createWorld(t)
  const author = await authorOf(world)
  const { id } = await publishes(author)
  const url = await cardUrl(world, id)
  const { screening, files } = world.services
  let drawings = 0
  const { draw } = screening
  screening.draw = (...drawing) => {
    drawings += 1
    return draw(...drawing)
  }
  t.after(() => {
    screening.draw = draw
  })
  const replies = await Promise.all(Array.from({ length: 8 }, () => fetchCard(world, url)))
  deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  equal(drawings, 1)
  // Bytes that the store lost are drawn again.
  for await (const { key } of files.list('cards/')) await files.remove(key)
  equal((await fetchCard(world, url)).status, 200)
  equal(drawings, 2)
})

test('what is on the card changes its URL; the old URL leads to the new one, and its bytes are removed', async (t) => {
  const world = await createWorld(t)
  const author = await authorOf(world, { name: 'Ada L' })
  const { id } = await publishes(author, { title: 'First title' })
  const storedCards = async () => {
    const keys: string[] = []
    for await (const { key } of world.services.files.list('cards/')) keys.push(key)
    return keys
  }
  const urls = [await cardUrl(world, id)]
  const first = await fetchCard(world, urls[0]!)
  const next = async () => {
    const url = await cardUrl(world, id)
    ok(!urls.includes(url), url)
    urls.push(url)
    return url
  }
  await changes(author, id, { title: 'Second title' })
  const second = await fetchCard(world, await next())
  ok(!second.bytes.equals(first.bytes))
  equal((await storedCards()).length, 1)
  const old = await fetchCard(world, urls[0]!)
  deepEqual([old.status, old.headers.location, old.headers['cache-control']], [302, urls[1], 'no-store'])

  await author.publisher.calls(updateProfile, { body: { name: 'Augusta King' } })
  notEqual(await next(), urls[1])
  const admin = await administrator(world)
  await admin.owner.calls(updateSiteSettings, { body: { name: 'The Gazette', accentColor: '#1a4fa8' } })
  await next()
  await changes(author, id, { description: 'This is not on the card.' })
  equal(await cardUrl(world, id), urls.at(-1))
})

test('a cover is part of the card; a logo of ours too, and of elsewhere only in the facts', async (t) => {
  const world = await createWorld(t)
  const author = await authorOf(world)
  const { id } = await publishes(author, wholePost)
  const { body } = await sendImage(author.publisher, id, {
    bytes: await sharp({ create: { width: 900, height: 600, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer(),
    query: { intent: 'og' },
  })
  ok(body.safety.operationId)
  await world.runJobs()
  const admin = await administrator(world)
  await admin.owner.calls(updateSiteSettings, { body: { logoUrl: 'https://images.example/logo.png' } })
  const url = await cardUrl(world, id)
  match(url, /\.jpg$/)
  const card = await fetchCard(world, url)
  equal(card.headers['content-type'], 'image/jpeg')
  deepEqual(await sizeOf(card.bytes), ['jpeg', 1200, 630])
  const corner = await sharp(card.bytes).extract({ left: 1100, top: 300, width: 8, height: 8 }).raw().toBuffer()
  ok(corner[0]! > 240 && corner[1]! < 20, 'red, as the cover')
  const { facts } = await metaOf(world, id)
  deepEqual(facts.image, [world.origin + url, facts.image[1]])
  match(facts.image[1], /\/media\/.*\.png$/)
  equal(facts.publisher.logo.url, 'https://images.example/logo.png')
})

test('titles that the font cannot write, and hostile ones, give a card without them', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const cardOf = async (title: string) => {
    const { id } = await publishes(author, { title })
    const card = await fetchCard(world, await cardUrl(world, id))
    equal(card.status, 200, title)
    deepEqual(await sizeOf(card.bytes), ['png', 1200, 630])
    return card.bytes
  }
  const japanese = await cardOf('日本語の題名')
  for (const title of ['مرحبا بالعالم', 'Half 日本語 a title', '𓀀𓀁', '🚀🎉'])
    ok((await cardOf(title)).equals(japanese), title)
  ok((await cardOf('🚀 Ship it 👩‍🚀')).equals(await cardOf('Ship it')), 'emoji are left out')
  ok(!(await cardOf('Ship it')).equals(japanese))
  for (const title of [
    '<svg onload="x"/>&amp;<image href="file:///etc/passwd"/>',
    'x'.repeat(200),
    `${'word '.repeat(39)}end`,
    'a\u0301\u0301\u0301\u202eevil',
  ])
    ok(!(await cardOf(title)).equals(japanese), title)
})

test('only public posts have cards', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const url = await cardUrl(world, id)
  equal((await fetchCard(world, url)).status, 200)
  const nobody = '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'
  equal((await fetchCard(world, url.replace(id, nobody))).status, 404)
  equal((await fetchCard(world, '/cards/no-such-card.png')).status, 404)
  equal((await author.publisher.calls(withdrawPost, { params: { postId: id } })).status, 200)
  const gone = await fetchCard(world, url)
  deepEqual([gone.status, gone.headers['cache-control']], [404, 'no-store'])
})
