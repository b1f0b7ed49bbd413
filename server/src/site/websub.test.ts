import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import type { World } from '../test/world.ts'
import { pingHub } from './ping-hub.job.ts'
import { authorIn, childOf, childrenOf, paid, parseXml, publishes, visit } from './site-world.fixture.ts'

/** A WebSub hub on this machine: what it was told, and how it replies. */
async function openHub(t: TestContext) {
  const told: URLSearchParams[] = []
  let status = 204
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    told.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    response.writeHead(status, { location: `http://127.0.0.1:${port()}/elsewhere` }).end()
  })
  const port = () => (server.address() as AddressInfo).port
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${port()}/hub`,
    /** The feeds that it was told of since the last call. */
    topics: () => told.splice(0).flatMap((form) => form.getAll('hub.url')),
    forms: told,
    replies: (next: number) => {
      status = next
    },
  }
}

async function withHub(t: TestContext, hub: string | undefined) {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const { config } = world.services
  t.after(() => Object.assign(world.services, { config }))
  Object.assign(world.services, { config: { ...config, webSubHub: hub } })
  return { world, author }
}

const seconds = 10

/** Time passes, and the job runs. */
async function passes(world: World): Promise<void> {
  await world.advance(seconds)
  await pingHub.run(world.services, {})
}

test('feeds name the hub, in all formats and in a header; without one they do not', async (t) => {
  const { world, author } = await withHub(t, 'https://hub.example/?a=1&b=2')
  await publishes(author)
  const hub = 'https://hub.example/?a=1&b=2'
  const path = `/@${author.handle}`
  const rss = await visit(world, `${path}/feed.xml`)
  const links = childrenOf(childOf(parseXml(rss.text), 'channel'), 'atom:link')
  deepEqual(
    links.map(({ attributes: { rel, href } }) => [rel, href]),
    [
      ['self', `${world.origin}${path}/feed.xml`],
      ['hub', hub],
    ],
  )
  equal(rss.headers.link, `<${hub}>; rel="hub", <${world.origin}${path}/feed.xml>; rel="self"`)
  const atom = childrenOf(parseXml((await visit(world, `${path}/atom.xml`)).text), 'link')
  ok(atom.some(({ attributes: { rel, href } }) => rel === 'hub' && href === hub))
  deepEqual(JSON.parse((await visit(world, '/feed.json')).text).hubs, [{ type: 'WebSub', url: hub }])
  Object.assign(world.services, { config: { ...world.services.config, webSubHub: undefined } })
  const without = await visit(world, '/feed.xml')
  ok(!without.text.includes('rel="hub"') && without.headers.link === undefined)
})

test('the hub is told which feeds changed, once for each change, and of nothing from before', async (t) => {
  const hub = await openHub(t)
  const { world, author } = await withHub(t, hub.url)
  const before = await publishes(author)
  await passes(world)
  deepEqual(hub.topics(), [], 'what was there before the hub is left to it')
  await passes(world)
  await author.publisher.calls(createPost, { body: paid })
  await passes(world)
  deepEqual(hub.topics(), [], 'a draft is in no feed')
  await publishes(author, { tags: ['深海'] })
  await passes(world)
  deepEqual(hub.forms[0]?.get('hub.mode'), 'publish')
  const files = ['feed.xml', 'atom.xml', 'feed.json']
  const feeds = (path: string) => files.map((file) => `${world.origin}${path}/${file}`)
  const tag = `/@${author.handle}/tags/${encodeURIComponent('深海')}`
  deepEqual(hub.topics(), [...feeds(''), ...feeds(`/@${author.handle}`), ...feeds(tag)])
  await passes(world)
  deepEqual(hub.topics(), [])
  const headers = { 'x-post-revision': before.updatedAt }
  await author.publisher.calls(updatePost, { params: { postId: before.id }, headers, body: { title: 'Changed' } })
  await passes(world)
  ok(hub.topics().includes(`${world.origin}/feed.xml`))
  await author.publisher.calls(withdrawPost, { params: { postId: before.id } })
  await passes(world)
  ok(hub.topics().includes(`${world.origin}/@${author.handle}/feed.json`))
})

test('a hub that fails is told again, for an hour; a redirect is not followed', async (t) => {
  const hub = await openHub(t)
  const { world, author } = await withHub(t, hub.url)
  await passes(world)
  await publishes(author)
  for (const status of [500, 302, 404]) {
    hub.replies(status)
    await passes(world)
    equal(hub.topics().length, 6, String(status))
  }
  hub.replies(202)
  await passes(world)
  equal(hub.topics().length, 6)
  await passes(world)
  deepEqual(hub.topics(), [])
  hub.replies(503)
  await publishes(author)
  await passes(world)
  hub.topics()
  await world.advance(3_700)
  await passes(world)
  deepEqual(hub.topics(), [], 'it finds out by polling')
})

test('no address of our own network is asked in production, and a name that is none harms nothing', async (t) => {
  const hub = await openHub(t)
  const { world, author } = await withHub(t, hub.url)
  await passes(world)
  await publishes(author)
  const { config } = world.services
  Object.assign(world.services, { config: { ...config, environment: 'production' } })
  await passes(world)
  deepEqual(hub.topics(), [])
  for (const webSubHub of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://no.invalid/',
  ]) {
    Object.assign(world.services, { config: { ...config, environment: 'production', webSubHub } })
    await passes(world)
    await passes(world)
  }
})

test('many changes are told in requests of a hundred feeds', async (t) => {
  const hub = await openHub(t)
  const { world, author } = await withHub(t, hub.url)
  await passes(world)
  const post = await publishes(author)
  await world.services.pool.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     SELECT gen_random_uuid(), account_id, 'published', slug, title, 1, created_at, updated_us + n, published_at
     FROM posts, generate_series(1, 250) n WHERE id = $1`,
    [post.id],
  )
  for (const expected of [6, 6, 6, 0]) {
    await passes(world)
    ok(hub.forms.every((form) => form.getAll('hub.url').length <= 100))
    equal(hub.topics().length, expected)
  }
})
