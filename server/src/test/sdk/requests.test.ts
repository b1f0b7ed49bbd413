import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { PennypostError } from '@pennypost/sdk'
import { nanoAddress, payable, publish, wholePost } from '../../posts/posts.fixture.ts'
import { emptiedWorld, sharedWorld } from '../world.ts'
import { busy, sdkFor } from './sdk-client.fixture.ts'

const unknownId = '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f'

async function caught(promise: Promise<unknown>): Promise<PennypostError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  ok(error instanceof PennypostError, String(error))
  return error
}

test('a post is published with a price in coins, found in a list, and read', async (t) => {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  const { client: owner } = sdkFor(world, { session: author.pair })
  await owner.profile.setNanoAddress(nanoAddress)
  const { client } = sdkFor(world, { publishingKey: author.publisher.token })
  const post = await client.posts.publish({
    ...wholePost,
    category: 'technology',
    paidContentMarkdown: 'The secret',
    price: { amount: '0.25', asset: 'XNO' },
  })
  deepEqual([post.status, post.priceAtomic, post.enablePaywall], ['published', `25${'0'.repeat(28)}`, true])
  await world.runJobs()
  const { client: anyone } = sdkFor(world)
  const [found] = await anyone.posts.list({ sort: 'newest' }).take(1)
  equal(found?.id, post.id)
  equal((await anyone.posts.get(post.id)).author.handle, author.handle)
  const refused = await caught(anyone.posts.read(post.id))
  deepEqual(
    [refused.status, refused.code, (refused.details.offers as unknown[]).length > 0],
    [402, 'payment-required', true],
  )
  equal((await owner.posts.read(post.id)).paidContentMarkdown, 'The secret')
  const changed = await client.drafts.update(await client.drafts.get(post.id), { title: 'On steam' })
  equal(changed.title, 'On steam')
  const stale = await caught(client.drafts.update(post, { title: 'On water' }))
  deepEqual([stale.code, stale.details.currentRevision], ['revision-conflict', changed.updatedAt])
})

test('both error families are one error', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client } = sdkFor(world, { publishingKey: author.publisher.token, session: author.pair })
  const problem = await caught(client.drafts.get(unknownId))
  deepEqual([problem.status, problem.code, problem.operation], [404, 'post-not-found', 'getPost'])
  ok(problem.requestId)
  match(problem.message, /getPost: 404 post-not-found: You have no post/)
  const h3 = await caught(client.posts.get(unknownId))
  deepEqual([h3.status, h3.code, h3.operation], [404, 'post-not-found', 'getPublicPost'])
  equal(h3.detail, 'No published post has this id.')
  ok(h3.requestId)
  const invalid = await caught(client.profile.setNanoAddress('nano_1'))
  deepEqual([invalid.status, invalid.code, invalid.fieldErrors[0]?.field], [422, 'validation', 'payoutAddress'])
  const query = await caught(client.posts.list({ per_page: 1000 }).take(1))
  deepEqual([query.status, query.code, query.fieldErrors[0]?.field], [400, 'invalid-request', 'per_page'])
  const blocked = await caught(client.posts.publish({ title: 'Only a title' }))
  equal(blocked.code, 'publication-blocked')
  ok(blocked.fieldErrors.length > 0)
  equal((await client.drafts.get(String(blocked.details.postId))).title, 'Only a title')
})

test('a missing credential is named', async (t) => {
  const world = await sharedWorld(t)
  const { client } = sdkFor(world)
  match((await caught(client.drafts.list().take(1))).detail, /It takes a publishing key/)
  match((await caught(client.library.list().take(1))).detail, /It takes a session/)
})

test('429 and 503 are repeated with the same bytes and the same key, as long as the service asks for, and not forever', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client, sent, interfere } = sdkFor(world, { publishingKey: author.publisher.token })
  interfere(({ path }, count) => (path === '/api/v1/posts' && count < 2 ? busy(count === 0 ? 503 : 429) : undefined))
  const post = await client.drafts.create({ title: 'Once' })
  equal(post.title, 'Once')
  const attempts = sent.filter(({ method }) => method === 'POST')
  equal(attempts.length, 3)
  equal(new Set(attempts.map(({ body }) => body)).size, 1)
  equal(new Set(attempts.map(({ headers }) => headers.get('idempotency-key'))).size, 1)
  equal((await client.drafts.list().take(10)).length, 1)

  interfere(() => busy(503))
  sent.length = 0
  const refused = await caught(client.drafts.get(post.id))
  deepEqual(
    [refused.status, refused.code, refused.retryAfterSeconds, sent.length],
    [503, 'temporarily-unavailable', 0, 4],
  )

  interfere(() => busy(429, '3600'))
  sent.length = 0
  const patient = await caught(client.drafts.get(post.id))
  deepEqual([patient.status, patient.retryAfterSeconds, sent.length], [429, 3600, 1])
})

test('a form is repeated with the same bytes', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client, sent, interfere } = sdkFor(world, { publishingKey: author.publisher.token, retry: { attempts: 2 } })
  interfere(() => busy(503))
  await caught(client.images.uploadAvatar(new Blob([new Uint8Array([1, 2, 3])], { type: 'image/png' })))
  equal(sent.length, 2)
  deepEqual(
    [sent[0]!.body, sent[0]!.headers.get('content-type')],
    [sent[1]!.body, sent[1]!.headers.get('content-type')],
  )
  ok(sent[0]!.body.includes('image/png'))
})

test('a lost response is repeated only where that is safe, and otherwise uncertain', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client, sent, loseReplies } = sdkFor(world, { publishingKey: author.publisher.token, retry: { attempts: 3 } })
  loseReplies((_, count) => count === 0)
  const post = await client.drafts.create({ title: 'Twice sent, once made' })
  equal(sent.length, 2)
  equal((await client.drafts.list().take(10)).length, 1)

  sent.length = 0
  loseReplies(({ method }) => method === 'PATCH')
  const uncertain = await caught(client.drafts.update(post, { title: 'Changed' }))
  deepEqual([uncertain.code, uncertain.status, uncertain.isUncertain], ['network-error', 0, true])
  equal(sent.filter(({ method }) => method === 'PATCH').length, 1)
  equal((await client.drafts.get(post.id)).title, 'Changed')
})

test('an abort ends a call with its own reason, also while it waits', async (t) => {
  const world = await sharedWorld(t)
  const { client, interfere } = sdkFor(world)
  await rejects(client.posts.list({}, { signal: AbortSignal.abort() }).take(1), { name: 'AbortError' })
  const abort = new AbortController()
  interfere(() => {
    setImmediate(() => abort.abort(new Error('enough')))
    return busy(503, '20')
  })
  await rejects(client.posts.list({}, { signal: abort.signal }).take(1), { message: 'enough' })
})

test('lists are read page by page to their end, by page, cursor and offset', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  for (const title of ['a', 'b', 'c', 'd', 'e']) await publish(author, { ...wholePost, title })
  await world.runJobs()
  const reader = await world.reader()
  const { client, sent } = sdkFor(world, { session: reader.pair })
  const titlesOf = async (posts: AsyncIterable<{ readonly title: string }>) => {
    const titles: string[] = []
    for await (const { title } of posts) titles.push(title)
    return titles.join('')
  }
  equal(await titlesOf(client.posts.list({ sort: 'oldest', per_page: 2 })), 'abcde')
  equal(sent.length, 3)
  await client.feed.follow(author.accountId)
  sent.length = 0
  equal(await titlesOf(client.feed.list({ limit: 2 })), 'edcba')
  equal(sent.length, 3)
  const [post] = await client.posts.list({ sort: 'newest' }).take(1)
  for (const content of ['1', '2', '3']) await client.comments.add(post!.id, { content })
  const said: (string | null)[] = []
  for await (const comment of client.comments.list(post!.id, { limit: 2 })) said.push(comment.content)
  deepEqual(said, ['1', '2', '3'])
  await world.runJobs()
  const { client: authors } = sdkFor(world, { session: author.pair })
  const notifications = await authors.notifications.list({ limit: 2 }).take(10)
  equal(new Set(notifications.map(({ id }) => id)).size, notifications.length)
  ok(notifications.length >= 3, `${notifications.length}`)
  const [first] = await client.feed.followers(author.accountId).take(5)
  equal(first?.handle, reader.handle)
})

test('every operation of the API can be called by its name, with its status and headers', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client } = sdkFor(world, { publishingKey: author.publisher.token })
  const created = await client.operations.createPost({ body: { title: 'By name' }, idempotencyKey: randomUUID() })
  equal(created.status, 201)
  ok(created.headers.get('x-request-id'))
  const { body } = await client.operations.listPosts({ query: { status: 'draft', per_page: 2 } })
  deepEqual([body.total, body.perPage], [1, 2])
  const documents = [await client.operations.getOpenApi(), await client.operations.getAdminOpenApi()]
  const names = documents
    .flatMap(({ body: { paths } }) => Object.values(paths as Record<string, Record<string, { operationId: string }>>))
    .flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId)
  deepEqual(names.sort(), Object.keys(client.operations).sort())
})
