import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess, getAsset } from '@pennypost/contract/access'
import { setRates } from '@pennypost/contract/development-tools'
import { createGiftLink, disableGiftLink, getGiftLink, listGiftLinks } from '@pennypost/contract/gift-links'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { showPost } from '@pennypost/contract/public-pages'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { authorIn, publishes } from '../discovery/published.fixture.ts'
import { freeAgain, payable, payableOnBase } from '../posts/posts.fixture.ts'
import { tampered } from '../test/tampered.ts'
import { createWorld, type World } from '../test/world.ts'
import { smallZip, uploadZip } from '../uploads/attachments.fixture.ts'

const at = (postId: string) => ({ params: { postId } })
const secret = 'the-secret-part'

/** What a sale writes, without the money. */
const entitle = (world: World, accountId: string, postId: string) =>
  world.services.db
    .insertInto('entitlements')
    .values({ account_id: accountId, post_id: postId, source: 'purchase', order_id: null, granted_at: new Date(0) })
    .execute()

const required = (reply: { headers: Headers }) =>
  JSON.parse(Buffer.from(reply.headers.get('payment-required')!, 'base64').toString())

async function sellsZip(author: Awaited<ReturnType<typeof authorIn>>['author'], world: World) {
  const post = await author.publisher.sends(createPost, {
    body: {
      title: 'With a ZIP',
      freeContentMarkdown: 'Free',
      paidContentMarkdown: secret,
      enablePaywall: true,
      priceCurrency: 'XNO',
      priceAtomic: `25${'0'.repeat(28)}`,
      category: 'technology',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
    },
  })
  const bytes = smallZip()
  const { body } = await uploadZip(author.publisher, post.body.id, bytes)
  await world.runJobs()
  equal((await author.publisher.calls(publishPost, at(post.body.id))).status, 200)
  return { postId: post.body.id as string, bytes, asset: { params: { assetId: body.attachment.id as string } } }
}

test('a free Post is read by anyone, whole as far as it is free', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author, { ...freeAgain, paidContentMarkdown: 'not meant for you' })
  const { status, body } = await reader.calls(getAccess, at(post.id))
  equal(status, 200)
  equal(body.access, 'free')
  equal(body.postId, post.id)
  equal(body.contentMarkdown, post.freeContentMarkdown)
  ok(body.contentHtml.includes('<strong>world</strong>'))
  deepEqual([body.paidContentMarkdown, body.paidContentHtml, body.entitlement], [null, null, null])
})

test('a paid Post is 402 to strangers and other accounts, and says nothing of its paid part', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author)
  for (const person of [reader, (await world.reader()).owner]) {
    const reply = await person.calls(getAccess, at(post.id))
    equal(reply.status, 402)
    equal(reply.headers.get('cache-control'), 'private, no-store')
    ok(!JSON.stringify(reply.body).includes(secret))
    const { offers, ...shown } = reply.body
    const { extensions: long, ...said } = shown
    const { extensions: short, ...inHeader } = required(reply)
    deepEqual(inHeader, said, 'header and body say the same')
    deepEqual(Object.keys(short).sort(), Object.keys(long).sort())
    deepEqual(short['sign-in-with-x'].info, long['sign-in-with-x'].info)
    deepEqual(
      offers.map(({ asset }: { asset: string }) => asset),
      ['USDC', 'XNO'],
    )
    equal(shown.x402Version, 2)
    equal(shown.resource.url, `${world.origin}/api/posts/${post.id}/access`)
  }
})

test('author and buyers read the whole; a Publishing key and a bad token are no readers', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author)
  const own = await author.owner.calls(getAccess, at(post.id))
  deepEqual([own.status, own.body.access, own.body.paidContentMarkdown], [200, 'owner', secret])
  const buyer = await world.reader()
  await entitle(world, buyer.accountId, post.id)
  const bought = await buyer.owner.calls(getAccess, at(post.id))
  deepEqual([bought.status, bought.body.access], [200, 'purchased'])
  deepEqual(bought.body.entitlement, { source: 'purchase', grantedAt: new Date(0).toISOString() })
  ok(bought.body.paidContentHtml.includes(secret))
  equal((await author.publisher.sends(getAccess, at(post.id))).status, 401)
  reader.token = 'nonsense'
  equal((await reader.calls(getAccess, at(post.id))).status, 401)
})

test('drafts are for their author; unknown and malformed ids are 404 problems', async (t) => {
  const { author, reader } = await authorIn(t)
  const { body: draft } = await author.publisher.calls(createPost, { body: { title: 'A draft' } })
  equal((await author.owner.calls(getAccess, at(draft.id))).body.access, 'owner')
  for (const postId of [draft.id, randomUUID(), 'nonsense']) {
    const reply = await reader.sends(getAccess, at(postId))
    deepEqual([reply.status, reply.body.code], [404, 'post-not-found'])
    ok(reply.headers.get('content-type')!.startsWith('application/problem+json'))
  }
})

test('HEAD says no more than GET, and no body', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  const reply = await world.server.inject({ method: 'HEAD', url: `/api/posts/${post.id}/access` })
  deepEqual([reply.statusCode, reply.payload], [402, ''])
  const zip = await sellsZip(author, world)
  const asset = await world.server.inject({ method: 'HEAD', url: `/api/assets/${zip.asset.params.assetId}` })
  deepEqual([asset.statusCode, asset.payload], [402, ''])
})

test('both base addresses answer with their own', async (t) => {
  const world = await createWorld(t, { settings: { ALT_BASE_URL: 'http://other.test' } })
  const post = await publishes(await payable(await world.creator()))
  const url = `/api/posts/${post.id}/access`
  for (const host of ['pennypost.test', 'other.test']) {
    const reply = await world.server.inject({ method: 'GET', url, headers: { host } })
    equal(reply.json().resource.url, `http://${host}${url}`)
  }
  const liar = await world.server.inject({ method: 'GET', url, headers: { host: 'evil.test' } })
  equal(liar.json().resource.url, `http://pennypost.test${url}`)
})

test('a withdrawn Post is read by its author and its buyers, and by nobody else', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { postId, bytes, asset } = await sellsZip(author, world)
  const { body: gift } = await author.owner.calls(createGiftLink, at(postId))
  const buyer = await world.reader()
  await entitle(world, buyer.accountId, postId)
  await author.publisher.calls(withdrawPost, at(postId))
  for (const { owner } of [author, buyer]) {
    equal((await owner.calls(getAccess, at(postId))).status, 200)
    ok(bytes.equals(Buffer.from((await owner.calls(getAsset, asset)).body)))
  }
  const query = { gift: gift.giftLink.token }
  for (const person of [reader, (await world.reader()).owner]) {
    equal((await person.calls(getAccess, at(postId))).status, 404)
    equal((await person.calls(getAccess, { ...at(postId), query })).status, 404, 'gift access closes')
    equal((await person.calls(getAsset, { ...asset, query })).status, 404)
  }
  const freePost = await publishes(author, freeAgain)
  await author.publisher.calls(withdrawPost, at(freePost.id))
  equal((await reader.calls(getAccess, at(freePost.id))).status, 404, 'free access closes')
})

test('what was bought stays whole though the paywall falls', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  const buyer = await world.reader()
  await entitle(world, buyer.accountId, post.id)
  const changed = await author.publisher.calls(updatePost, {
    ...at(post.id),
    headers: { 'x-post-revision': post.updatedAt },
    body: { enablePaywall: false },
  })
  equal(changed.status, 200)
  const { body } = await buyer.owner.calls(getAccess, at(post.id))
  deepEqual([body.access, body.paidContentMarkdown], ['purchased', secret])
})

test('a ZIP is for those who may read its Post; others get the price of the Post', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { postId, bytes, asset } = await sellsZip(author, world)
  const refused = await reader.calls(getAsset, asset)
  equal(refused.status, 402)
  equal(required(refused).resource.url, `${world.origin}/api/posts/${postId}/access`)
  const buyer = await world.reader()
  await entitle(world, buyer.accountId, postId)
  const got = await buyer.owner.calls(getAsset, asset)
  equal(got.status, 200)
  ok(bytes.equals(Buffer.from(got.body)))
  equal(got.headers.get('cache-control'), 'private, no-store')
})

// --- Gift links ------------------------------------------------------------------------------------------------------

test('a gift link is made once, read, used and disabled by the author', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { postId, bytes, asset } = await sellsZip(author, world)
  deepEqual((await author.owner.calls(getGiftLink, at(postId))).body, { giftLink: null })
  const made = await author.owner.calls(createGiftLink, at(postId))
  equal(made.status, 200)
  const { giftLink } = made.body
  equal(giftLink.uses, 0)
  equal(giftLink.url, `${world.origin}/posts/${postId}?gift=${giftLink.token}`)
  deepEqual((await author.owner.calls(createGiftLink, at(postId))).body, { giftLink }, 'the active one again')
  const query = { gift: giftLink.token }
  const opened = await reader.calls(getAccess, { ...at(postId), query })
  deepEqual([opened.status, opened.body.access, opened.body.paidContentMarkdown], [200, 'gift', secret])
  equal(opened.body.entitlement, null)
  ok(bytes.equals(Buffer.from((await reader.calls(getAsset, { ...asset, query })).body)))
  await author.owner.calls(getAccess, { ...at(postId), query })
  equal((await author.owner.calls(getGiftLink, at(postId))).body.giftLink.uses, 1, 'the author needed no gift')
  deepEqual((await author.owner.calls(disableGiftLink, at(postId))).body, { giftLink: null })
  equal((await author.owner.calls(disableGiftLink, at(postId))).status, 200)
  equal((await reader.calls(getAccess, { ...at(postId), query })).status, 402)
  equal((await reader.calls(getAsset, { ...asset, query })).status, 402)
  const again = await author.owner.calls(createGiftLink, at(postId))
  notEqual(again.body.giftLink.token, giftLink.token, 'a disabled link never opens again')
  equal((await reader.calls(getAccess, { ...at(postId), query })).status, 402)
})

test('a gift token opens its own Post only, and no other spelling of it opens anything', async (t) => {
  const { author, reader } = await authorIn(t)
  const [post, other] = [await publishes(author), await publishes(author)]
  const { token } = (await author.owner.calls(createGiftLink, at(post.id))).body.giftLink
  const opens = async (postId: string, gift: string) =>
    (await reader.calls(getAccess, { ...at(postId), query: { gift } })).status
  equal(await opens(post.id, token), 200)
  equal(await opens(other.id, token), 402)
  for (const wrong of ['', 'x', tampered(token), `${token}=`, `${token}A`, token.slice(0, -1), '🎁'])
    equal(await opens(post.id, wrong), 402, wrong)
})

test('gift links belong to the author: others read 404, keys and strangers 401, drafts 409', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author)
  const other = await world.reader()
  for (const endpoint of [getGiftLink, createGiftLink, disableGiftLink]) {
    const refused = await other.owner.calls(endpoint, at(post.id))
    deepEqual([refused.status, refused.body.data.code], [404, 'post_not_found'])
    equal((await author.publisher.sends(endpoint, at(post.id))).status, 401)
    equal((await reader.calls(endpoint, at(post.id))).status, 401)
  }
  const { body: draft } = await author.publisher.calls(createPost, { body: { title: 'A draft' } })
  const early = await author.owner.calls(createGiftLink, at(draft.id))
  deepEqual([early.status, early.body.data.code], [409, 'post_not_published'])
})

test('an author lists the gift links of all posts with their uses, newest first, to the last page', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const posts = [await publishes(author), await publishes(author), await publishes(author)]
  const tokens: string[] = []
  for (const { id } of posts) {
    tokens.push((await author.owner.calls(createGiftLink, at(id))).body.giftLink.token)
    const createdAt = new Date(Date.UTC(2026, 0, tokens.length))
    await world.services.pool.query('UPDATE gift_links SET created_at = $1 WHERE post_id = $2', [createdAt, id])
  }
  const [first, second, third] = posts.map(({ id }) => id) as [string, string, string]
  equal((await reader.calls(getAccess, { ...at(first), query: { gift: tokens[0]! } })).status, 200)
  await author.publisher.calls(withdrawPost, at(second))
  const list = async (query: { limit?: string; cursor?: string } = {}) =>
    (await author.owner.calls(listGiftLinks, { query })).body
  type Listed = { token: string; url: string; uses: number; post: { id: string; title: string; status: string } }
  const all: Listed[] = (await list()).giftLinks
  deepEqual(
    all.map(({ token, uses, post }) => [token, uses, post.id, post.status]),
    [
      [tokens[2], 0, third, 'published'],
      [tokens[1], 0, second, 'withdrawn'],
      [tokens[0], 1, first, 'published'],
    ],
  )
  ok(all[2]!.url.endsWith(`/posts/${first}?gift=${tokens[0]}`) && all[2]!.post.title !== '')
  const inPages: string[] = []
  for (let page = await list({ limit: '1' }); ; page = await list({ limit: '1', cursor: page.pagination.nextCursor })) {
    inPages.push(...page.giftLinks.map(({ token }: Listed) => token))
    if (page.pagination.nextCursor === null) break
  }
  deepEqual(inPages, tokens.toReversed())
  await author.owner.calls(disableGiftLink, at(first))
  equal((await list()).giftLinks.length, 2, 'a disabled link is not listed')
  const other = await world.reader()
  deepEqual((await other.owner.calls(listGiftLinks, {})).body.giftLinks, [], 'links of others are not listed')
  equal((await author.owner.sends(listGiftLinks, { query: { cursor: 'x' } })).status, 400)
})

test('twenty requests at once make one gift link', async (t) => {
  const { author } = await authorIn(t)
  const post = await publishes(author)
  const replies = await Promise.all(Array.from({ length: 20 }, () => author.owner.calls(createGiftLink, at(post.id))))
  equal(new Set(replies.map(({ body }) => body.giftLink.token)).size, 1)
})

test('the page of a gift link shows the whole Post, to nobody else and to no cache', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author)
  const { token } = (await author.owner.calls(createGiftLink, at(post.id))).body.giftLink
  const page = async (query: { gift?: string }) => {
    const reply = await reader.calls(showPost, { ...at(post.id), query })
    return { headers: reply.headers, text: Buffer.from(reply.body).toString() }
  }
  const opened = await page({ gift: token })
  ok(opened.text.includes(secret))
  equal(opened.headers.get('cache-control'), 'private, no-store')
  for (const other of [await page({}), await page({ gift: 'x' })]) ok(!other.text.includes(secret))
  equal((await author.owner.calls(getGiftLink, at(post.id))).body.giftLink.uses, 1)
})

// --- Quotes ----------------------------------------------------------------------------------------------------------

const rowsIn = async (world: World) => {
  const { rows } = await world.services.pool.query<{ name: string; count: string }>(`
    SELECT relname AS name, (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM %I', relname), true, true, '')))[1]::text AS count
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`)
  return rows
}

test('a 402 writes nothing, and no two quotes are one', async (t) => {
  const { world, author, reader } = await authorIn(t)
  await payableOnBase(author)
  const post = await publishes(author)
  const before = await rowsIn(world)
  const quoted = await Promise.all(Array.from({ length: 10 }, () => reader.calls(getAccess, at(post.id))))
  deepEqual(await rowsIn(world), before)
  const accepts = quoted.flatMap(({ body }) => body.accepts)
  equal(new Set(accepts.map(({ extra }) => extra.quote)).size, 20)
  equal(new Set(accepts.filter(({ asset }) => asset === 'XNO').map(({ payTo }) => payTo)).size, 10)
})

test('USDC stands first, each with what a stock client needs, in a header under 3.5 KB', async (t) => {
  const { world, author, reader } = await authorIn(t)
  await payableOnBase(author)
  const post = await publishes(author, { title: '🚂'.repeat(200) })
  const reply = await reader.calls(getAccess, at(post.id))
  const [usdc, nano] = reply.body.accepts
  const { quote, ...domain } = usdc.extra
  deepEqual(domain, { name: 'USD Coin', version: '2' })
  deepEqual(
    { ...usdc, extra: {} },
    {
      scheme: 'exact',
      network: 'eip155:8453',
      asset: world.services.config.usdcAddress,
      maxTimeoutSeconds: 300,
      amount: '312500',
      payTo: '0x52908400098527886E0F7030069857D2E4169EE7',
      extra: {},
    },
  )
  equal(nano.network, 'nano:mainnet')
  deepEqual([nano.scheme, nano.asset, nano.amount], ['exact', 'XNO', post.priceRaw])
  ok(nano.payTo.startsWith('nano_'))
  notEqual(nano.extra.quote, quote)
  ok(reply.headers.get('payment-required')!.length < 3500, String(reply.headers.get('payment-required')!.length))
})

test('only offers that are ready are accepted: minimums, freshness, addresses', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const assets = async (postId: string) => {
    const { body } = await reader.calls(getAccess, at(postId))
    const statuses = body.offers.map(({ asset, status }: Record<string, string>) => `${asset} ${status}`)
    return [body.accepts.map(({ asset }: { asset: string }) => (asset === 'XNO' ? asset : 'USDC')), statuses]
  }
  const post = await publishes(author)
  deepEqual(await assets(post.id), [['XNO'], ['USDC address_missing', 'XNO ready']])
  await payableOnBase(author)
  const cheap = await publishes(author, { priceAtomic: `1${'0'.repeat(28)}` })
  deepEqual(await assets(cheap.id), [['XNO'], ['USDC below_minimum', 'XNO ready']])
  const { postId } = await sellsZip(author, world)
  deepEqual((await assets(postId))[0], ['USDC', 'XNO'])
  await reader.calls(setRates, { body: { XNO: '0.5', USDC: '1', at: new Date().toISOString() } })
  deepEqual((await assets(postId))[1], ['USDC below_minimum', 'XNO ready'], '0.125 is enough for text, not with a ZIP')
  deepEqual((await assets(post.id))[1], ['USDC ready', 'XNO ready'])
  await world.advance(3601)
  deepEqual((await assets(post.id))[1], ['USDC rate_stale', 'XNO ready'])
})
