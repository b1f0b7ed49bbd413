import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getPublicPost, listPublicPosts, listTagPosts } from '@pennypost/contract/discovery'
import { createPost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { authorIn, publishes, whole } from './published.fixture.ts'

test('anyone reads the free part of a published Post, and nothing of the paid one', async (t) => {
  const { author, reader, world } = await authorIn(t)
  const post = await publishes(author, { tags: ['Engines'] })
  const { status, body } = await reader.calls(getPublicPost, { params: { postId: post.id } })
  equal(status, 200)
  equal(body.freePreview, 'Free Hello world <script>alert(1)</script>')
  ok(body.freeContentHtml.includes('<strong>world</strong>') && !body.freeContentHtml.includes('<script>'))
  deepEqual(body.author, {
    id: author.accountId,
    handle: author.handle,
    name: body.author.name,
    avatarUrl: null,
    authorKind: 'human',
  })
  deepEqual(body.creation, { method: 'ai_assisted', details: 'Spelling', attested: true })
  deepEqual(body.acceptedRails, ['nano:mainnet'])
  equal(body.effectivePrice.xno, '0.25')
  equal(body.contentUrl, `${world.origin}/posts/${post.id}`)
  equal(body.accessUrl, `${world.origin}/api/posts/${post.id}/access`)
  deepEqual(body.commentPolicy, { commentsEnabled: true, agentCommentsEnabled: true })
  equal(body.publishedAt, post.publishedAt)
  equal(body.tags[0].name, 'Engines')
  ok(!JSON.stringify(body).includes('secret'))
})

test('drafts, withdrawn and unknown Posts read alike: 404', async (t) => {
  const { author, reader } = await authorIn(t)
  const { body: draft } = await author.publisher.calls(createPost, { body: whole })
  const withdrawn = await publishes(author)
  await author.publisher.calls(withdrawPost, { params: { postId: withdrawn.id } })
  const replies = []
  for (const postId of [draft.id, withdrawn.id, randomUUID(), 'nonsense'])
    replies.push(await reader.calls(getPublicPost, { params: { postId } }))
  for (const { status, body } of replies) {
    equal(status, 404)
    deepEqual(body, replies[0]!.body)
    equal(body.data.code, 'post_not_found')
  }
})

test('a Post without a paywall is free to everyone, whatever price its author keeps for later', async (t) => {
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'emptied' })
  const kept = [
    { title: 'Was XNO', priceCurrency: undefined, priceAtomic: undefined, priceRaw: '5' },
    { title: 'Was USDC', priceCurrency: 'USDC', priceAtomic: '5000000' },
  ]
  await publishes(author, { title: 'Cheap', priceAtomic: '1' })
  for (const price of kept) {
    const post = await publishes(author, { ...price, enablePaywall: false })
    const { body: detail } = await reader.calls(getPublicPost, { params: { postId: post.id } })
    const { body: found } = await reader.calls(listPublicPosts, { query: { q: price.title } })
    for (const shown of [detail, found.data[0]]) {
      deepEqual([shown.priceRaw, shown.priceCurrency, shown.priceAtomic], ['0', null, null])
      deepEqual([shown.effectivePrice.raw, shown.effectivePrice.xno], ['0', '0'])
      deepEqual([shown.paymentOffers, shown.acceptedRails], [[], []])
    }
    const page = (await world.server.inject(`/posts/${post.id}`)).body
    ok(page.includes('"isAccessibleForFree":true') && !/"offers"|0.000000000000000000000000000005|5 USDC/.test(page))
    const feed = (await world.server.inject('/feed.json')).json()
    equal(feed.items.find(({ title }: { title: string }) => title === price.title)._pennypost.price, null)
  }
  const order = await reader.calls(listPublicPosts, { query: { sort: 'price_desc' } })
  equal(order.body.data[0].title, 'Cheap')
  const free = await reader.calls(listPublicPosts, { query: { max_price_raw: '0' } })
  equal(free.body.total, 2)
})

test('a preview has at most 600 characters', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author, { freeContentMarkdown: '😀 word '.repeat(500) })
  const { body } = await reader.calls(getPublicPost, { params: { postId: post.id } })
  equal([...body.freePreview].length, 600)
})

test('a tag collection: published Posts of that creator, the newest first, in pages', async (t) => {
  const { author, reader, world } = await authorIn(t)
  const posts = []
  for (let index = 0; index < 5; index += 1) {
    posts.push(await publishes(author, { title: `Post ${index}`, tags: ['Deep Sea'] }))
    await world.advance(60)
  }
  await author.publisher.calls(createPost, { body: { ...whole, tags: ['Deep Sea', 'Only drafts'] } })
  const tag = posts[0].tags[0]
  const page = (query: object) => reader.sends(listTagPosts, { params: { tagId: tag.id }, query })
  const { body } = await page({ per_page: '2' })
  deepEqual([body.total, body.page, body.perPage], [5, 1, 2])
  deepEqual(
    body.items.map(({ id }: { id: string }) => id),
    [posts[4].id, posts[3].id],
  )
  equal(body.tag.slug, 'deep-sea')
  equal(body.tag.collectionUrl, `${world.origin}/@${author.handle}/tags/deep-sea`)
  equal(body.creator.id, author.accountId)
  const beyond = await page({ per_page: '2', page: '9' })
  deepEqual([beyond.status, beyond.body.items, beyond.body.total], [200, [], 5])
  for (const query of [{ page: '0' }, { per_page: '49' }, { page: 'x' }, { page: '2000', per_page: '48' }])
    equal((await page(query)).status, 400)
  // The deepest place is offset 47,952, whatever the size of a page.
  for (const [perPage, last] of [
    [48, 1000],
    [24, 1999],
    [1, 47_953],
  ] as const) {
    equal((await page({ per_page: `${perPage}`, page: `${last}` })).status, 200, `${perPage}`)
    equal((await page({ per_page: `${perPage}`, page: `${last + 1}` })).status, 400, `${perPage}`)
  }
  await author.publisher.calls(withdrawPost, { params: { postId: posts[4].id } })
  equal((await page({})).body.total, 4)
})

test('unknown, malformed and draft-only tags are 404', async (t) => {
  const { author, reader } = await authorIn(t)
  const { body: draft } = await author.publisher.calls(createPost, { body: { ...whole, tags: ['Only drafts'] } })
  for (const tagId of [draft.tags[0].id, randomUUID(), 'nonsense']) {
    const { status, body } = await reader.calls(listTagPosts, { params: { tagId } })
    equal(status, 404)
    equal(body.data.code, 'tag_not_found')
  }
})

test('what is cached is sent again, until the caches are emptied', async (t) => {
  const { author, reader, world } = await authorIn(t, {}, { isolation: 'own' })
  const { discovery } = world.services
  const post = await publishes(author, { title: 'Before' })
  const stamp = (await discovery.postStamps.post(post.id))!
  let times = 0
  const says = async () => {
    const reply = await discovery.postReplies.get(
      'count',
      stamp,
      async () => ++times,
      (made) => ({ made, bytes: 1 }),
    )
    const { body } = await reader.calls(listPublicPosts, {})
    return [reply!.made, body.data[0].title]
  }
  deepEqual(await says(), [1, 'Before'])
  // No trigger notices this change, so lists go on showing what is cached.
  await world.inSession(async (client) => {
    await client.query('SET session_replication_role = replica')
    await client.query(`UPDATE catalog_cards SET card = replace(card, 'Before', 'After') WHERE post_id = $1`, [post.id])
  })
  deepEqual(await says(), [1, 'Before'])
  discovery.emptyCaches()
  deepEqual(await says(), [2, 'After'])
})
