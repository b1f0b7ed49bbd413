import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createPost, deletePost, getPost, listPosts, listTags, updatePost } from '@pennypost/contract/posts'
import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  getPayoutAddress,
  getProfile,
  updateProfile,
} from '@pennypost/contract/profiles'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { lockAccount } from '../accounts/account-store.ts'
import { clearReceivingAddress } from '../profiles/receiving-address-store.ts'
import type { Creator } from '../test/people.ts'
import { until } from '../test/until.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { draft, nanoAddress, paidPost, payable, payableOnBase, wholePost } from './posts.fixture.ts'

const params = (postId: string) => ({ params: { postId } })
const at = (revision: string) => ({ headers: { 'x-post-revision': revision } })

async function authorIn(
  t: TestContext,
  addresses: { nano?: boolean; base?: boolean } = { nano: true },
): Promise<{ author: Creator; world: World }> {
  const world = await sharedWorld(t)
  const author = await world.creator()
  if (addresses.nano) await payable(author)
  if (addresses.base) await payableOnBase(author)
  return { author, world }
}

test('a draft is created, read, changed and deleted', async (t) => {
  const { author } = await authorIn(t, {})
  const { publisher } = author
  const post = await draft(publisher, { title: '  A title ', creationMethod: 'autonomous_agent' })
  equal(post.status, 'draft')
  equal(post.title, 'A title')
  equal(post.slug, 'a-title')
  equal(post.priceRaw, '0')
  match(post.updatedAt, /\.\d{6}Z$/)
  deepEqual((await publisher.calls(getPost, params(post.id))).body, post)
  const changed = await publisher.calls(updatePost, {
    ...params(post.id),
    ...at(post.updatedAt),
    body: { description: 'More' },
  })
  equal(changed.status, 200)
  equal(changed.body.description, 'More')
  equal(changed.body.creationMethod, 'autonomous_agent')
  ok(changed.body.updatedAt > post.updatedAt)
  equal((await publisher.calls(deletePost, { ...params(post.id), ...at(changed.body.updatedAt) })).status, 200)
  equal((await publisher.calls(getPost, params(post.id))).status, 404)
})

test('an edit needs the revision it was made on: 428 without, 409 with another', async (t) => {
  const { author } = await authorIn(t)
  const { publisher } = author
  const post = await draft(publisher)
  for (const endpoint of [updatePost, deletePost]) {
    const body = endpoint === updatePost ? { body: { title: 'New' } } : {}
    const without = await publisher.sends(endpoint, { ...params(post.id), ...body })
    equal(without.status, 428)
    equal(without.body.code, 'post-revision-required')
    const stale = await publisher.sends(endpoint, { ...params(post.id), ...at('2020-01-01T00:00:00.000000Z'), ...body })
    equal(stale.status, 409)
    equal(stale.body.code, 'revision-conflict')
    equal(stale.body.currentRevision, post.updatedAt)
    for (const wrong of ['yesterday', '2026-13-45T00:00:00Z']) {
      equal((await publisher.sends(endpoint, { ...params(post.id), ...at(wrong), ...body })).status, 400)
    }
  }
})

test('of thirty edits made on one revision exactly one wins', async (t) => {
  const { author } = await authorIn(t)
  const post = await draft(author.publisher)
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      author.publisher.calls(updatePost, {
        ...params(post.id),
        ...at(post.updatedAt),
        body: { title: `Edit ${index}`, tags: [`tag ${index}`] },
      }),
    ),
  )
  equal(replies.filter(({ status }) => status === 200).length, 1)
  equal(replies.filter(({ status }) => status === 409).length, 29)
  const winner = replies.find(({ status }) => status === 200)!.body
  deepEqual((await author.publisher.calls(getPost, params(post.id))).body, winner)
  equal((await author.publisher.calls(listTags, {})).body.tags.length, 1)
})

test('revisions grow even while the clock stands still', async (t) => {
  const { author, world } = await authorIn(t)
  const now = world.services.clock.now()
  t.mock.method(world.services.clock, 'now', () => now)
  let { updatedAt, id } = await draft(author.publisher)
  for (let count = 0; count < 5; count += 1) {
    const { body } = await author.publisher.calls(updatePost, {
      ...params(id),
      ...at(updatedAt),
      body: { title: `Edit ${count}` },
    })
    ok(body.updatedAt > updatedAt)
    ;({ updatedAt, id } = body)
  }
})

test('bad input is 422 with its field', async (t) => {
  const { author } = await authorIn(t)
  const cases: [object, string][] = [
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ title: null }, 'title'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ freeContentMarkdown: 'x'.repeat(200_001) }, 'freeContentMarkdown'],
    [{ enablePaywall: 'yes' }, 'enablePaywall'],
    [{ priceCurrency: 'EUR', priceAtomic: '1' }, 'priceCurrency'],
    [{ priceCurrency: 'XNO', priceAtomic: '1.5' }, 'priceAtomic'],
    [{ priceCurrency: 'XNO', priceAtomic: '-1' }, 'priceAtomic'],
    [{ priceCurrency: 'XNO', priceAtomic: '1'.repeat(40) }, 'priceAtomic'],
    [{ priceCurrency: 'XNO' }, 'priceAtomic'],
    [{ priceAtomic: '1' }, 'priceCurrency'],
    [{ priceCurrency: 'USDC', priceAtomic: '1', priceRaw: '1' }, 'priceRaw'],
    [{ category: 'nonsense' }, 'category'],
    [{ language: 'not a language' }, 'language'],
    [{ creationMethod: 'magic' }, 'creationMethod'],
    [{ creationDetails: 'x'.repeat(281) }, 'creationDetails'],
    [{ tags: null }, 'tags'],
    [{ tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }, 'tags'],
    [{ tags: ['  '] }, 'tags.0'],
    [{ tags: ['x'.repeat(65)] }, 'tags.0'],
    [{ status: 'published' }, 'status'],
  ]
  for (const [change, field] of cases) {
    const reply = await author.publisher.sends(createPost, { body: { ...wholePost, ...change } })
    equal(reply.status, 422, JSON.stringify(change).slice(0, 80))
    equal(reply.body.errors[0].field, field)
  }
  equal((await author.publisher.sends(createPost, { body: {} })).status, 422)
  equal((await draft(author.publisher, { title: '😀'.repeat(200) })).title, '😀'.repeat(200))
})

test('null clears what may be empty; left out stays', async (t) => {
  const { author } = await authorIn(t)
  const post = await draft(author.publisher, { ...paidPost, creationDetails: 'by hand' })
  const cleared = {
    description: null,
    paidContentMarkdown: null,
    priceCurrency: null,
    priceAtomic: null,
    category: null,
    language: null,
    creationMethod: null,
    creationDetails: null,
  }
  const { body } = await author.publisher.calls(updatePost, {
    ...params(post.id),
    ...at(post.updatedAt),
    body: cleared,
  })
  deepEqual(
    [
      body.description,
      body.paidContentMarkdown,
      body.priceCurrency,
      body.priceAtomic,
      body.category,
      body.language,
      body.creationMethod,
      body.creationDetails,
    ],
    ['', '', null, null, null, null, null, null],
  )
  equal(body.freeContentMarkdown, wholePost.freeContentMarkdown)
  equal((await author.publisher.sends(updatePost, { ...params(post.id), ...at(body.updatedAt), body: {} })).status, 422)
})

test('a language is kept in its canonical spelling', async (t) => {
  const { author } = await authorIn(t)
  equal((await draft(author.publisher, { ...wholePost, language: 'EN-us' })).language, 'en-US')
  for (const language of ['English', 'de_CH', 'e', 'en-', 'i-klingon1'])
    equal((await author.publisher.sends(createPost, { body: { ...wholePost, language } })).status, 422, language)
})

test('creating with an Idempotency-Key makes one Post', async (t) => {
  const { author } = await authorIn(t)
  const ask = (body: object) => author.publisher.sends(createPost, { body, idempotencyKey: 'k' })
  const replies = await Promise.all(Array.from({ length: 20 }, () => ask(wholePost)))
  equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  equal((await ask({ ...wholePost, title: 'Other' })).body.code, 'idempotency-conflict')
  equal((await author.publisher.calls(listPosts, {})).body.total, 1)
  const { id, updatedAt } = replies[0]!.body
  await author.publisher.calls(deletePost, { ...params(id), ...at(updatedAt) })
  equal((await ask(wholePost)).status, 404)
})

test("someone else's post reads like one that does not exist", async (t) => {
  const { author, world } = await authorIn(t)
  const eve = await world.creator()
  const post = await draft(author.publisher)
  for (const endpoint of [getPost, updatePost, deletePost, publishPost, withdrawPost]) {
    const body = endpoint === updatePost ? { body: { title: 'Mine' } } : {}
    const foreign = await eve.publisher.sends(endpoint, { ...params(post.id), ...at(post.updatedAt), ...body })
    const missing = await eve.publisher.sends(endpoint, { ...params(randomUUID()), ...at(post.updatedAt), ...body })
    equal(foreign.status, 404)
    deepEqual({ ...foreign.body, requestId: 0 }, { ...missing.body, requestId: 0 })
  }
  equal((await eve.publisher.calls(listPosts, {})).body.total, 0)
})

test('the list pages through what was changed last, and filters by status', async (t) => {
  const { author } = await authorIn(t)
  const posts = []
  for (let index = 0; index < 5; index += 1)
    posts.push(await draft(author.publisher, { ...wholePost, title: `Post ${index}` }))
  await author.publisher.calls(publishPost, params(posts[0].id))
  const list = async (query: object) => (await author.publisher.sends(listPosts, { query })).body
  const first = await list({ per_page: '2' })
  deepEqual([first.total, first.page, first.perPage], [5, 1, 2])
  equal(first.data[0].id, posts[0].id)
  equal((await list({ per_page: '2', page: '3' })).data.length, 1)
  equal((await list({ status: 'published' })).total, 1)
  equal((await list({ status: 'withdrawn' })).total, 0)
  for (const query of [{ page: '0' }, { per_page: '49' }, { status: 'gone' }]) {
    equal((await author.publisher.sends(listPosts, { query })).status, 400)
  }
})

test('publishing asks for a complete profile first, then for all the rest, and blockers said so before', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { publisher } = author
  const post = await draft(publisher, { title: 'Bare', enablePaywall: true })
  await world.services.pool.query(`UPDATE accounts SET name = 'New User', handle = 'user_abc123' WHERE id = $1`, [
    author.accountId,
  ])
  const incomplete = await publisher.calls(publishPost, params(post.id))
  equal(incomplete.status, 422)
  equal(incomplete.body.code, 'profile-incomplete')
  equal(incomplete.body.type, `${world.origin}/problems/profile-incomplete`)
  deepEqual(
    incomplete.body.errors.map(({ field }: { field: string }) => field),
    ['name', 'handle'],
  )
  await publisher.calls(updateProfile, { body: { name: 'Ada', handle: 'ada_l' } })
  const blocked = await publisher.calls(publishPost, params(post.id))
  equal(blocked.status, 422)
  equal(blocked.body.code, 'publication-blocked')
  const fields = [
    'receivingAddress',
    'category',
    'language',
    'creationMethod',
    'creationAttested',
    'paidContentMarkdown',
    'price',
  ]
  deepEqual(
    blocked.body.errors.map(({ field }: { field: string }) => field),
    fields,
  )
  const { body } = await publisher.calls(getPost, params(post.id))
  deepEqual(
    body.blockers.map(({ field }: { field: string }) => field),
    fields,
  )
})

test('publish, publish again, withdraw, publish again', async (t) => {
  const { author, world } = await authorIn(t)
  const { publisher } = author
  const post = await draft(publisher)
  equal((await publisher.calls(withdrawPost, params(post.id))).status, 409)
  const published = await publisher.calls(publishPost, { ...params(post.id), ...at(post.updatedAt) })
  equal(published.status, 200)
  equal(published.body.status, 'published')
  deepEqual(published.body.blockers, [])
  await world.advance(60)
  deepEqual((await publisher.calls(publishPost, params(post.id))).body, published.body)
  equal((await publisher.calls(publishPost, { ...params(post.id), ...at(post.updatedAt) })).status, 409)
  equal(
    (await publisher.calls(deletePost, { ...params(post.id), ...at(published.body.updatedAt) })).body.code,
    'post-state',
  )
  const stale = await publisher.calls(withdrawPost, { ...params(post.id), ...at(post.updatedAt) })
  deepEqual([stale.status, stale.body.code], [409, 'revision-conflict'])
  const withdrawn = await publisher.calls(withdrawPost, params(post.id))
  equal(withdrawn.body.status, 'withdrawn')
  notEqual(withdrawn.body.withdrawnAt, null)
  await world.services.pool.query('INSERT INTO post_figures (post_id, reader_count) VALUES ($1, 3)', [post.id])
  await world.advance(60)
  const again = await publisher.calls(publishPost, params(post.id))
  equal(again.body.status, 'published')
  equal(again.body.figures.readers, 3)
  equal(again.body.publishedAt, published.body.publishedAt)
  equal(again.body.withdrawnAt, null)
})

test('an edit that would break a condition of a published Post is refused and changes nothing', async (t) => {
  const { author } = await authorIn(t)
  const { publisher } = author
  const post = await draft(publisher, paidPost)
  const { body: published } = await publisher.calls(publishPost, params(post.id))
  for (const change of [
    { category: null },
    { creationAttested: false },
    { paidContentMarkdown: '' },
    { priceCurrency: null, priceAtomic: null },
    { priceAtomic: '0', priceCurrency: 'XNO' },
  ]) {
    const reply = await publisher.sends(updatePost, { ...params(post.id), ...at(published.updatedAt), body: change })
    equal(reply.status, 422, JSON.stringify(change))
    equal(reply.body.code, 'publication-blocked')
  }
  const { paymentOffers: _, emailSubscribers: ___, ...unchanged } = published
  const { paymentOffers: __, ...found } = (await publisher.calls(getPost, params(post.id))).body
  deepEqual(found, unchanged)
  equal(
    (await publisher.calls(updatePost, { ...params(post.id), ...at(published.updatedAt), body: { title: 'Better' } }))
      .status,
    200,
  )
})

test('a published Post can be pinned; withdrawing it clears the pin', async (t) => {
  const { author, world } = await authorIn(t)
  const { publisher } = author
  const post = await draft(publisher)
  const pin = (pinnedPostId: string) => publisher.calls(updateProfile, { body: { pinnedPostId } })
  equal((await pin(post.id)).status, 422)
  await publisher.calls(publishPost, params(post.id))
  equal((await pin(post.id)).body.pinnedPostId, post.id)
  const eve = await world.creator()
  equal((await eve.publisher.calls(updateProfile, { body: { pinnedPostId: post.id } })).status, 422)
  await publisher.calls(withdrawPost, params(post.id))
  equal((await publisher.calls(getProfile, {})).body.pinnedPostId, null)
})

test('the last receiving address stays while a published Post depends on it', async (t) => {
  const { author } = await authorIn(t, { nano: true, base: true })
  const post = await draft(author.publisher)
  await author.publisher.calls(publishPost, params(post.id))
  equal((await author.owner.calls(clearBasePayoutAddress, {})).status, 200)
  const last = await author.owner.calls(clearPayoutAddress, {})
  equal(last.status, 409)
  equal(last.body.code, 'receiving-address-in-use')
  await author.publisher.calls(withdrawPost, params(post.id))
  equal((await author.owner.calls(clearPayoutAddress, {})).status, 200)
})

test('an address that a published Post is sold through stays, though there is another one', async (t) => {
  const { author, world } = await authorIn(t, { nano: true, base: true })
  const { owner, publisher } = author
  const onSale = async (input: object) => {
    const post = await draft(publisher, { ...paidPost, ...input })
    equal((await publisher.calls(publishPost, params(post.id))).status, 200)
    return post
  }
  const refused = (reply: { status: number; body: { code: string } }) =>
    deepEqual([reply.status, reply.body.code], [409, 'receiving-address-in-use'])
  const dear = await onSale({})
  // 0.01 XNO is less than the smallest USDC price.
  const cheap = await onSale({ priceAtomic: undefined, priceCurrency: undefined, priceRaw: `1${'0'.repeat(28)}` })
  refused(await owner.calls(clearPayoutAddress, {}))
  equal((await owner.calls(getPayoutAddress, {})).body.payoutAddress, nanoAddress)
  await publisher.calls(withdrawPost, params(cheap.id))
  equal((await owner.calls(clearPayoutAddress, {})).status, 200)
  await payable(author)
  // A price in USDC is sold for Nano only while there is a rate.
  await publisher.calls(withdrawPost, params(dear.id))
  await onSale({ priceCurrency: 'USDC', priceAtomic: '1000000' })
  const old = new Date(world.services.clock.now().getTime() - 7_200_000)
  const fresh = world.services.rates.current()!
  world.services.rates.set({ XNO: { usd: '1.25', at: old }, USDC: { usd: '1', at: old } })
  refused(await owner.calls(clearBasePayoutAddress, {}))
  equal((await owner.calls(clearPayoutAddress, {})).status, 200)
  await payable(author)
  world.services.rates.set(fresh)
  equal((await owner.calls(clearBasePayoutAddress, {})).status, 200)
})

test('a price in USDC that nobody can pay in USDC is not published; one in Nano has no minimum', async (t) => {
  const { author, world } = await authorIn(t, { nano: true, base: true })
  const { publisher } = author
  const inUsdc = (priceAtomic: string) => ({ ...paidPost, priceCurrency: 'USDC', priceAtomic })
  const saved = await draft(publisher, inUsdc('99999'))
  const message = 'The smallest USDC price is 0.1. Set a higher price, or a price in XNO.'
  const blocker = { code: 'publication-blocked', field: 'price', message }
  deepEqual(saved.blockers, [blocker])
  const refused = await publisher.calls(publishPost, params(saved.id))
  deepEqual([refused.status, refused.body.code, refused.body.errors], [422, 'publication-blocked', [blocker]])
  const changes = async (id: string, body: object) => {
    const { body: current } = await publisher.calls(getPost, params(id))
    return publisher.sends(updatePost, { ...params(id), ...at(current.updatedAt), body })
  }
  equal((await changes(saved.id, { priceAtomic: '100000' })).status, 200)
  equal((await publisher.calls(publishPost, params(saved.id))).status, 200)
  const lowered = await changes(saved.id, { priceAtomic: '50000' })
  deepEqual([lowered.status, lowered.body.code, lowered.body.errors], [422, 'publication-blocked', [blocker]])
  equal((await changes(saved.id, { priceCurrency: 'XNO', priceAtomic: '1' })).status, 200)
  // One that was published before there was this rule can still be corrected, but not be sold for another low price.
  await world.services.pool.query(`UPDATE posts SET price_currency = 'USDC', price_atomic = 50000 WHERE id = $1`, [
    saved.id,
  ])
  equal((await changes(saved.id, { title: 'Corrected' })).status, 200)
  equal((await changes(saved.id, { priceAtomic: '60000' })).status, 422)
  equal((await changes(saved.id, { priceAtomic: '100000' })).status, 200)
})

test('a price is lowered while the address it needs is cleared: one of the two is refused', async (t) => {
  const { author } = await authorIn(t, { nano: true, base: true })
  const { owner, publisher } = author
  for (let round = 0; round < 5; round += 1) {
    await payable(author)
    const post = await draft(publisher, paidPost)
    const { body: published } = await publisher.calls(publishPost, params(post.id))
    const body = { priceAtomic: `1${'0'.repeat(28)}` }
    const [edited, cleared] = await Promise.all([
      publisher.calls(updatePost, { ...params(post.id), ...at(published.updatedAt), body }),
      owner.calls(clearPayoutAddress, {}),
    ])
    deepEqual([edited.status, cleared.status].sort(), edited.status === 200 ? [200, 409] : [200, 422])
    await publisher.calls(withdrawPost, params(post.id))
  }
})

/** Runs `act` while another transaction clears the author's Nano address, until it waits for a lock or has a reply. */
async function whileAddressIsCleared<Reply>(
  { author, world }: Awaited<ReturnType<typeof authorIn>>,
  act: () => Promise<Reply>,
): Promise<Reply> {
  const { db, pool } = world.services
  let isDone = false
  let reply: Promise<Reply> | undefined
  await db.transaction().execute(async (tx) => {
    await lockAccount(tx, author.accountId)
    await clearReceivingAddress(tx, author.accountId, 'nano')
    reply = act().finally(() => {
      isDone = true
    })
    const isWaiting = async () =>
      (
        await pool.query(`SELECT FROM pg_locks WHERE NOT granted AND pid IN
          (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`)
      ).rowCount! > 0
    await until('the request waits', async () => isDone || isWaiting())
  })
  return reply!
}

test('a post is not published while its receiving address is being cleared', async (t) => {
  const there = await authorIn(t)
  const { publisher } = there.author
  const post = await draft(publisher, wholePost)
  const reply = await whileAddressIsCleared(there, () => publisher.calls(publishPost, params(post.id)))
  deepEqual([reply.status, reply.body.code], [422, 'publication-blocked'])
})

test('a price is not lowered below what the other rail sells while the address it needs is being cleared', async (t) => {
  const there = await authorIn(t, { nano: true, base: true })
  const { publisher } = there.author
  const post = await draft(publisher, paidPost)
  const { body: published } = await publisher.calls(publishPost, params(post.id))
  const edit = { ...params(post.id), ...at(published.updatedAt), body: { priceAtomic: `1${'0'.repeat(28)}` } }
  const reply = await whileAddressIsCleared(there, () => publisher.calls(updatePost, edit))
  deepEqual([reply.status, reply.body.code], [422, 'publication-blocked'])
})

test('a rail that can sell is needed: an XNO price with only a Base address sells for derived USDC', async (t) => {
  const { author } = await authorIn(t, { base: true })
  const { publisher } = author
  // 0.25 XNO at 1.25 dollars are 0.3125 USDC.
  const post = await draft(publisher, paidPost)
  equal((await publisher.calls(publishPost, params(post.id))).status, 200)
  const { body } = await publisher.calls(getPost, params(post.id))
  deepEqual(
    body.paymentOffers.map(
      ({ asset, status, amountAtomic }: { asset: string; status: string; amountAtomic: string }) => [
        asset,
        status,
        amountAtomic,
      ],
    ),
    [
      ['USDC', 'ready', '312500'],
      ['XNO', 'address_missing', paidPost.priceAtomic],
    ],
  )
  const cheap = await draft(publisher, { ...paidPost, priceAtomic: `1${'0'.repeat(28)}` })
  const blocked = await publisher.calls(publishPost, params(cheap.id))
  equal(blocked.status, 422)
  equal(blocked.body.errors[0].field, 'price')
})

test('a price is edited in part: what is left out stays, what would contradict is refused', async (t) => {
  const { author } = await authorIn(t)
  const saved = await draft(author.publisher, { title: 'A', priceCurrency: 'USDC', priceAtomic: '500000' })
  let revision = saved.updatedAt
  const edit = async (body: object) => {
    const reply = await author.publisher.sends(updatePost, { ...params(saved.id), ...at(revision), body })
    if (reply.status === 200) revision = reply.body.updatedAt
    return reply.status === 200 ? [reply.body.priceCurrency, reply.body.priceAtomic] : reply.body.errors[0].field
  }
  deepEqual(await edit({ priceAtomic: '600000' }), ['USDC', '600000'])
  deepEqual(await edit({ title: 'B' }), ['USDC', '600000'])
  equal(await edit({ priceRaw: '5' }), 'priceRaw')
  equal(await edit({ priceCurrency: 'XNO' }), 'priceAtomic')
  equal(await edit({ priceCurrency: 'XNO', priceAtomic: '9'.repeat(39) }), 'priceAtomic')
  deepEqual(await edit({ priceCurrency: 'XNO', priceRaw: '5' }), ['XNO', '5'])
  deepEqual(await edit({ priceRaw: '6' }), ['XNO', '6'])
  equal(await edit({ priceCurrency: null, priceAtomic: '1' }), 'priceAtomic')
  deepEqual(await edit({ priceAtomic: null }), [null, null])
})

test('what a record says of its price can be sent back, and changes nothing', async (t) => {
  const { author } = await authorIn(t)
  const { publisher } = author
  const priceOf = ({ enablePaywall, priceCurrency, priceAtomic, priceRaw }: Record<string, unknown>) => ({
    enablePaywall,
    priceCurrency,
    priceAtomic,
    priceRaw,
  })
  for (const input of [
    {},
    { enablePaywall: true },
    { priceRaw: '5' },
    { priceRaw: '5', enablePaywall: true },
    { priceCurrency: 'USDC', priceAtomic: '500000' },
    { priceCurrency: 'USDC', priceAtomic: '500000', enablePaywall: true },
    { priceCurrency: 'USDC', priceAtomic: '500000', enablePaywall: true, priceRaw: null },
    { priceCurrency: null, priceAtomic: null, enablePaywall: false, priceRaw: '0' },
  ]) {
    let post = await draft(publisher, { title: 'A', ...input })
    const said = priceOf(post)
    const { enablePaywall: _, ...amounts } = said
    for (const body of [said, amounts, { priceRaw: said.priceRaw }, { enablePaywall: said.enablePaywall }]) {
      const { status, body: after } = await publisher.sends(updatePost, {
        ...params(post.id),
        ...at(post.updatedAt),
        body,
      })
      equal(status, 200, JSON.stringify([input, body, after]))
      deepEqual(priceOf(after), said)
      post = after
    }
    for (const body of [
      { enablePaywall: true, priceRaw: '0', priceCurrency: null, priceAtomic: null },
      { enablePaywall: true, priceRaw: '0', priceCurrency: 'USDC', priceAtomic: '500000' },
      { priceRaw: '7', priceCurrency: 'USDC', priceAtomic: '7' },
      { priceRaw: '7', priceCurrency: 'XNO', priceAtomic: '8' },
      { priceRaw: '7', priceAtomic: null },
      { priceRaw: null, priceCurrency: 'XNO', priceAtomic: '8' },
      { priceCurrency: 'USDC', priceAtomic: null },
    ]) {
      const reply = await publisher.sends(updatePost, { ...params(post.id), ...at(post.updatedAt), body })
      equal(reply.status, 422, JSON.stringify([input, body]))
    }
  }
  const priced = await draft(publisher, { title: 'A', priceRaw: '5', enablePaywall: true })
  const { body } = await publisher.calls(updatePost, {
    ...params(priced.id),
    ...at(priced.updatedAt),
    body: { priceRaw: null },
  })
  deepEqual([body.priceCurrency, body.priceAtomic], [null, null])
})

test('an old exchange rate is no reason to refuse the fix of a typo', async (t) => {
  const { author, world } = await authorIn(t, { base: true })
  const { publisher } = author
  const post = await draft(publisher, paidPost)
  const { body: published } = await publisher.calls(publishPost, params(post.id))
  const old = new Date(world.services.clock.now().getTime() - 7_200_000)
  world.services.rates.set({ XNO: { usd: '1.25', at: old }, USDC: { usd: '1', at: old } })
  const edit = (revision: string, body: object) =>
    publisher.sends(updatePost, { ...params(post.id), ...at(revision), body })
  const fixed = await edit(published.updatedAt, { title: 'Fixed' })
  equal(fixed.status, 200)
  equal((await edit(fixed.body.updatedAt, { category: null })).status, 422)
})
