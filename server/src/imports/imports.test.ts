import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { updateFollow } from '@pennypost/contract/follows'
import { importPost, listImportedPosts, startImport } from '@pennypost/contract/imports'
import { listNotifications } from '@pennypost/contract/notifications'
import { deletePost, getPost, listPosts, updatePost } from '@pennypost/contract/posts'
import { showPostBySlug } from '@pennypost/contract/public-pages'
import { withdrawPost } from '@pennypost/contract/publishing'
import { subscribe } from '@pennypost/contract/subscribers'
import { createWebhook } from '@pennypost/contract/webhooks'
import { paidPost, payable, publish, wholePost } from '../posts/posts.fixture.ts'
import { emptiedWorld, sharedWorld } from '../test/world.ts'
import { receiver } from '../webhooks/receiver.fixture.ts'
import { imports, oldPost, sends, startsImport } from './imports.fixture.ts'

const { creationAttested: _, ...paid } = paidPost

test('a post is imported with its date, slug, tags and original address', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const result = await imports(author, {
    ...oldPost,
    slug: 'an-old-slug',
    tags: ['Engines'],
    updatedAt: '2020-01-01T00:00:00.000Z',
    canonicalUrl: 'https://old.example/an-old-slug/',
  })
  deepEqual(
    [result.outcome, result.status, result.slug, result.pagePath],
    ['created', 'published', 'an-old-slug', `/@${author.handle}/an-old-slug`],
  )
  const { body: post } = await author.publisher.calls(getPost, { params: { postId: result.postId } })
  deepEqual(
    [post.publishedAt, post.updatedAt.slice(0, 19), post.canonicalUrl, post.creationAttested, post.tags[0].name],
    [oldPost.publishedAt, '2020-01-01T00:00:00', 'https://old.example/an-old-slug/', true, 'Engines'],
  )
  ok(post.importedAt !== null)
  const params = { handle: author.handle, slug: 'an-old-slug' }
  const page = await world.stranger().calls(showPostBySlug, { params })
  const html = Buffer.from(page.body).toString()
  match(html, /<link rel="canonical" href="https:\/\/old\.example\/an-old-slug\/"/)
  // Readers see it, because an importer can choose any date.
  match(html, /17 May 2019<\/time>, updated <time[^>]*>1 January 2020<\/time>, imported \d/)
})

test('nobody is notified of imported posts, nobody is emailed, and they are not the newest', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const follower = await world.reader()
  await follower.owner.calls(updateFollow, { params: { creatorId: author.accountId }, body: { following: true } })
  await follower.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  const program = await receiver(t)
  await author.owner.calls(createWebhook, { body: { url: program.url, events: ['post.published'] } })
  await world.runJobs()
  const before = { mail: (await world.mailTo(follower.email)).length, feed: await countNotifications() }
  const recent = await publish(await payable(await world.creator()))
  const importId = await startsImport(author)
  for (const number of [1, 2, 3])
    await imports(author, { ...oldPost, sourceId: `ghost:${number}`, title: `Post ${number}` }, importId)
  await world.runJobs()
  equal(await countNotifications(), before.feed)
  equal((await world.mailTo(follower.email)).length, before.mail)
  deepEqual(program.calls, [])
  const { body } = await world.stranger().calls(listPublicPosts, { query: { sort: 'newest' } })
  equal(body.data[0].id, recent.id)
  equal(body.data.length, 4)

  async function countNotifications(): Promise<number> {
    return (await follower.owner.calls(listNotifications, { query: {} })).body.notifications?.length ?? 0
  }
})

test('the same source id updates the same post; what was edited here stays unless it is overwritten', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const first = await imports(author, oldPost, importId)
  equal((await imports(author, oldPost, importId)).outcome, 'unchanged')
  const again = await imports(author, { ...oldPost, title: 'A better title' }, importId)
  // Links lead to its slug, so it stays.
  deepEqual([again.outcome, again.postId, again.slug], ['updated', first.postId, first.slug])
  const params = { postId: first.postId }
  const read = async () => (await author.publisher.calls(getPost, { params })).body
  const headers = { 'x-post-revision': (await read()).updatedAt }
  await author.publisher.calls(updatePost, { params, headers, body: { freeContentMarkdown: 'Edited here' } })
  const refused = await sends(author, importId, { ...oldPost, title: 'Newer still' })
  deepEqual([refused.status, refused.body.code, refused.body.postId], [409, 'imported-post-edited', first.postId])
  equal((await read()).freeContentMarkdown, 'Edited here')
  equal((await imports(author, { ...oldPost, title: 'Newer still', overwrite: true }, importId)).outcome, 'updated')
  deepEqual([(await read()).title, (await read()).freeContentMarkdown], ['Newer still', 'Hello **world**'])
  equal((await author.publisher.calls(listPosts, { query: {} })).body.total, 1)
})

test('two requests with one source id at the same time make one post', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const replies = await Promise.all(Array.from({ length: 6 }, () => sends(author, importId)))
  deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  )
  equal(new Set(replies.map(({ body }) => body.postId)).size, 1)
  equal(replies.filter(({ body }) => body.outcome === 'created').length, 1)
})

test('a dry run checks everything and saves nothing', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { status, body } = await sends(author, importId, { ...oldPost, oldPaths: ['/old/'] }, { dryRun: 'true' })
  deepEqual(
    [status, body.outcome, body.postId, body.status, body.slug],
    [200, 'created', null, 'published', 'on-engines'],
  )
  equal((await author.publisher.calls(listPosts, { query: {} })).body.total, 0)
  const { rows } = await world.services.pool.query('SELECT FROM old_paths WHERE account_id = $1', [author.accountId])
  equal(rows.length, 0)
  const left = (await author.owner.calls(startImport, { body: { source: 'ghost', attested: true } })).body.left
  equal(left.posts, 5000)
})

test('a slug that another post has or had is refused', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  await imports(author, { ...oldPost, slug: 'taken' }, importId)
  const refused = await sends(author, importId, { ...oldPost, sourceId: 'ghost:2', slug: 'taken' })
  deepEqual([refused.status, refused.body.code], [409, 'slug-taken'])
  // Another author has slugs of their own.
  equal((await imports(await payable(await world.creator()), { ...oldPost, slug: 'taken' })).slug, 'taken')
})

test('dates in the future, before 1990, in the wrong order or missing are refused', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const tomorrow = new Date(world.services.clock.now().getTime() + 86_400_000).toISOString()
  const { publishedAt, ...undated } = oldPost
  for (const [post, field] of [
    [{ ...oldPost, publishedAt: tomorrow }, 'publishedAt'],
    [{ ...oldPost, updatedAt: tomorrow }, 'updatedAt'],
    [{ ...oldPost, publishedAt: '1969-07-20T20:17:00Z' }, 'publishedAt'],
    [{ ...oldPost, updatedAt: '2018-01-01T00:00:00Z' }, 'updatedAt'],
    [undated, 'publishedAt'],
  ] as const) {
    const { status, body } = await sends(author, importId, post)
    deepEqual([status, body.errors?.[0]?.field], [422, field], JSON.stringify(body))
  }
  equal(publishedAt, oldPost.publishedAt)
})

test('a date stays once the post is published, so nothing can be backdated later', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, oldPost, importId)
  await imports(author, { ...oldPost, title: 'Changed', publishedAt: '2001-01-01T00:00:00Z' }, importId)
  const { body } = await author.publisher.calls(getPost, { params: { postId } })
  deepEqual([body.title, body.publishedAt], ['Changed', oldPost.publishedAt])
})

test('a paid post without a price stays a draft and is never published free', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { priceCurrency: _c, priceAtomic: _a, ...unpriced } = paid
  const post = { ...oldPost, ...unpriced }
  const draft = await imports(author, post, importId)
  deepEqual([draft.status, draft.blockers[0].field], ['draft', 'price'])
  // Once nothing blocks it, the same post is published, with its date and in silence.
  const published = await imports(author, { ...post, ...paid }, importId)
  deepEqual([published.outcome, published.status, published.postId], ['updated', 'published', draft.postId])
  const { body } = await author.publisher.calls(getPost, { params: { postId: draft.postId } })
  deepEqual([body.publishedAt, body.enablePaywall, body.paidContentMarkdown], [oldPost.publishedAt, true, 'The secret'])
})

test('an update cannot take the price from a published post', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  await imports(author, { ...oldPost, ...paid }, importId)
  const refused = await sends(author, importId, { ...oldPost, ...paid, priceAtomic: '0' })
  deepEqual([refused.status, refused.body.code], [422, 'publication-blocked'])
})

test('a post that its author withdrew is not published again by a second run', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, oldPost, importId)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  equal((await imports(author, { ...oldPost, title: 'New title' }, importId)).status, 'withdrawn')
})

test('a draft that was deleted here is imported again, and can be deleted although it has a date', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const post = { ...oldPost, status: 'draft' }
  const { postId } = await imports(author, post, importId)
  const { body } = await author.publisher.calls(getPost, { params: { postId } })
  const headers = { 'x-post-revision': body.updatedAt }
  equal((await author.publisher.calls(deletePost, { params: { postId }, headers })).status, 200)
  equal((await imports(author, post, importId)).outcome, 'created')
})

test('imported posts can be listed to the last one, with the mark that their importer gave them', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  for (const number of [1, 2, 3])
    await imports(author, { ...oldPost, sourceId: `ghost:${number}`, fingerprint: `mark ${number}` }, importId)
  const found: string[] = []
  let cursor: string | undefined
  do {
    const query = { limit: '2', ...(cursor && { cursor }) }
    const { status, body } = await author.owner.sends(listImportedPosts, { query })
    equal(status, 200, JSON.stringify(body))
    found.push(...body.data.map(({ fingerprint }: { fingerprint: string }) => fingerprint))
    cursor = body.nextCursor ?? undefined
  } while (cursor)
  deepEqual(found, ['mark 1', 'mark 2', 'mark 3'])
  const other = await world.creator()
  deepEqual((await other.owner.sends(listImportedPosts, { query: {} })).body.data, [])
  const hostile = Buffer.from('["\\u0000"]').toString('base64url')
  equal((await author.owner.sends(listImportedPosts, { query: { cursor: hostile } })).status, 400)
})

test('an import belongs to its account, takes an owner session, and ends after 30 days', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const stranger = await payable(await world.creator())
  for (const [person, id] of [
    [stranger, importId],
    [author, randomUUID()],
  ] as const)
    deepEqual((await sends(person, id)).body.code, 'import-not-found')
  // A key that leaked could publish in silence.
  equal((await author.publisher.sends(importPost, { params: { importId }, body: oldPost })).status, 401)
  equal((await author.publisher.sends(startImport, { body: { source: 'x', attested: true } })).status, 401)
  equal((await author.owner.sends(startImport, { body: { source: 'x', attested: false } })).status, 422)
  await world.services.pool.query("UPDATE imports SET created_at = created_at - interval '31 days'")
  equal((await sends(author, importId)).status, 404)
})

test('imports have a quota of their own, counted over all imports of an account', async (t) => {
  const world = await sharedWorld(t, { IMPORT_POSTS: '2', DRAFTS_PER_ACCOUNT: '1' })
  const author = await payable(await world.creator())
  await imports(author, { ...oldPost, sourceId: 'a', title: 'One' })
  await imports(author, { ...oldPost, sourceId: 'b', title: 'Two' })
  const importId = await startsImport(author)
  const refused = await sends(author, importId, { ...oldPost, sourceId: 'c' })
  deepEqual([refused.status, refused.body.code, refused.body.left.posts], [409, 'post-import-quota', 0])
  // What is there can still be updated.
  equal((await imports(author, { ...oldPost, sourceId: 'a', title: 'Three' }, importId)).outcome, 'updated')
  const other = await payable(await world.creator())
  const drafts = await startsImport(other)
  await imports(other, { ...oldPost, sourceId: 'a', status: 'draft' }, drafts)
  const full = await sends(other, drafts, { ...oldPost, sourceId: 'b', status: 'draft' })
  deepEqual([full.status, full.body.code], [409, 'draft-quota'])
})

test('a text that cannot be rendered is refused, and nothing of it stays', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const items = '- a\n'.repeat(20_001)
  const refused = await sends(author, importId, { ...oldPost, freeContentMarkdown: items })
  deepEqual([refused.status, refused.body.code], [422, 'markdown-too-complex'])
  equal((await author.publisher.calls(listPosts, { query: {} })).body.total, 0)
})

test('saving a post without a new title keeps the slug that it was imported with', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const { postId } = await imports(author, { ...oldPost, slug: 'from-before' })
  const params = { postId }
  const save = async (body: object) => {
    const { updatedAt } = (await author.publisher.calls(getPost, { params })).body
    return (await author.publisher.sends(updatePost, { params, headers: { 'x-post-revision': updatedAt }, body })).body
  }
  equal((await save({ title: wholePost.title, freeContentMarkdown: 'New' })).slug, 'from-before')
  equal((await save({ title: 'A new title' })).slug, 'a-new-title')
})
