import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from '@pennypost/contract/private-feed'
import { withdrawPost } from '@pennypost/contract/publishing'
import { mayRead } from '../access/may-read.ts'
import { arrives, creatorsIn } from '../payments/finance/finance.fixture.ts'
import { price, quotes, sells } from '../payments/market.fixture.ts'
import type { Reader } from '../test/people.ts'
import type { World } from '../test/world.ts'
import { childOf, childrenOf, parseXml, visit } from './site-world.fixture.ts'

async function buys(world: World, person: Reader, postId: string): Promise<void> {
  await arrives(world, (await quotes(person, postId)).address, price)
}

type Urls = Record<'rss' | 'atom' | 'json', string>

/** A new secret address, without its origin. */
async function makesFeed(world: World, person: Reader): Promise<Urls> {
  const { status, body } = await person.owner.calls(createPrivateFeed, {})
  equal(status, 201)
  const paths = Object.entries(body.urls as Urls).map(([format, url]) => {
    ok(url.startsWith(`${world.origin}/feed/`))
    return [format, url.slice(world.origin.length)]
  })
  return Object.fromEntries(paths)
}

const itemsAt = async (world: World, { json }: Urls): Promise<{ id: string; content_html: string }[]> =>
  JSON.parse((await visit(world, json)).text).items

const idsAt = async (world: World, urls: Urls): Promise<string[]> =>
  (await itemsAt(world, urls)).map(({ id }) => id.replace('urn:uuid:', ''))

test('what a reader bought, in full, in three formats; it is not cached and does not contain its own address', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  await sells(ada, { title: 'Not bought', paidContentMarkdown: 'not-for-bob' })
  const urls = await makesFeed(world, bob)
  deepEqual(await itemsAt(world, urls), [])
  await buys(world, bob, adasPost.postId)
  const [item] = await itemsAt(world, urls)
  match(item!.content_html, /Free[\s\S]*the-secret-part/)
  const channel = childOf(parseXml((await visit(world, urls.rss)).text), 'channel')
  deepEqual(
    childrenOf(channel, 'item').map((found) => childOf(found, 'title').text),
    ['On engines'],
  )
  const [entry] = childrenOf(parseXml((await visit(world, urls.atom)).text), 'entry')
  ok(childOf(entry!, 'content').text.includes('the-secret-part'))
  const token = urls.rss.split('/')[2]!
  for (const url of Object.values(urls)) {
    const { status, headers, text } = await visit(world, url)
    equal(status, 200)
    equal(headers['cache-control'], 'private, no-store')
    deepEqual([headers['referrer-policy'], headers['x-robots-tag']], ['no-referrer', 'noindex'])
    ok(!text.includes(token) && !text.includes('not-for-bob'))
    equal((await visit(world, url, { 'if-none-match': headers.etag! })).status, 304)
  }
  // Ada wrote it, which is not buying it; and her feed is another.
  deepEqual(await itemsAt(world, await makesFeed(world, ada)), [])
})

test('an address opens nothing once there is another, it was revoked, or its owner was suspended', async (t) => {
  const { world, bob } = await creatorsIn(t)
  const state = async () => (await bob.owner.calls(getPrivateFeed, {})).body.feed
  equal(await state(), null)
  const first = await makesFeed(world, bob)
  const second = await makesFeed(world, bob)
  ok(await state())
  const opens = async ({ rss }: Urls) => (await visit(world, rss)).status
  deepEqual([await opens(first), await opens(second)], [404, 200])
  const { pool } = world.services
  const suspend = (at: string) => pool.query(`UPDATE accounts SET suspended_at = ${at} WHERE id = $1`, [bob.accountId])
  await suspend('now()')
  equal(await opens(second), 404)
  await suspend('NULL')
  equal(await opens(second), 200)
  equal((await bob.owner.calls(revokePrivateFeed, {})).body.feed, null)
  equal(await opens(second), 404)
  equal((await bob.owner.calls(revokePrivateFeed, {})).status, 200)
  equal(await state(), null)
  const never = await visit(world, `/feed/${randomBytes(32).toString('base64url')}/feed.xml`)
  deepEqual([never.status, never.headers['cache-control']], [404, 'private, no-store'])
  equal((await visit(world, '/feed/short/feed.xml')).status, 404)
})

test('the database has the address of a feed as a hash only', async (t) => {
  const { world, bob } = await creatorsIn(t)
  const token = (await makesFeed(world, bob)).rss.split('/')[2]!
  const { rows } = await world.services.pool.query('SELECT feed::text AS row FROM private_feeds feed')
  const forms = [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')]
  for (const { row } of rows) for (const form of forms) ok(!row.includes(form))
})

test('a feed has what its owner may read because it was paid for, as mayRead says: no more and no less', async (t) => {
  const { world, ada, bob } = await creatorsIn(t)
  const { pool, clock } = world.services
  const titles = ['bought', 'bought and withdrawn', 'by a wallet', 'by both', 'by a stranger', 'by nobody']
  const posts = new Map<string, string>()
  for (const title of titles) posts.set(title, await sells(ada, { title }))
  const idOf = (title: string) => posts.get(title)!
  for (const title of ['bought', 'bought and withdrawn', 'by both']) await buys(world, bob, idOf(title))
  await ada.publisher.calls(withdrawPost, { params: { postId: idOf('bought and withdrawn') } })
  const [own, strange] = [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ] as const
  await pool.query(`INSERT INTO wallets VALUES ('evm', $1, $2, now())`, [own, bob.accountId])
  for (const [wallet, title] of [
    [own, 'by a wallet'],
    [own, 'by both'],
    [strange, 'by a stranger'],
  ] as const)
    await pool.query(
      `INSERT INTO wallet_entitlements (network, wallet, post_id, source, granted_at) VALUES ('eip155:8453', $1, $2, 'x402', $3)`,
      [wallet, idOf(title), clock.now()],
    )
  const urls = await makesFeed(world, bob)
  const expected = async () => {
    const readings = titles.map(async (title) => {
      const reading = await mayRead(world.services, idOf(title), { accountId: bob.accountId })
      return reading?.grant?.entitlement ? [idOf(title)] : []
    })
    return (await Promise.all(readings)).flat().sort()
  }
  deepEqual((await idsAt(world, urls)).sort(), await expected())
  equal((await expected()).length, 4)
  await pool.query('DELETE FROM wallets WHERE address = $1', [own])
  deepEqual((await idsAt(world, urls)).sort(), await expected())
  equal((await expected()).length, 3)
})

test('what was bought last comes first, fifty of it; and a feed that is long enough shows how the rest begins', async (t) => {
  const { world, ada, bob } = await creatorsIn(t)
  const { pool } = world.services
  const last = await sells(ada, { title: 'The last', paidContentMarkdown: 'whole-and-last' })
  const { rows } = await pool.query(
    `INSERT INTO posts SELECT copy.* FROM generate_series(1, 54) n, LATERAL (
       SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || n,
         'paid_html', '<p>' || repeat('x', 60000) || '</p>'))).* FROM posts post WHERE post.id = $1) copy RETURNING id`,
    [last],
  )
  await pool.query(
    `INSERT INTO entitlements (account_id, post_id, source, granted_at)
     SELECT $1, id, 'x402', now() - place * interval '1 day' FROM unnest($2::uuid[]) WITH ORDINALITY AS bought (id, place)`,
    [bob.accountId, rows.map(({ id }) => id)],
  )
  await buys(world, bob, last)
  const items = await itemsAt(world, await makesFeed(world, bob))
  deepEqual(
    items.map(({ id }) => id.replace('urn:uuid:', '')),
    [last, ...rows.slice(0, 49).map(({ id }) => id)],
  )
  ok(items[0]!.content_html.includes('whole-and-last'))
  ok(items[1]!.content_html.includes('x'.repeat(60_000)))
  ok(items[49]!.content_html.includes('Read on') && !items[49]!.content_html.includes('xxx'))
})
