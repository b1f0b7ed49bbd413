import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listImportedPosts, startImport } from '@pennypost/contract/imports'
import { deleteAccount } from '@pennypost/contract/personal-data'
import { openMarket, price, quotes } from '../payments/market.fixture.ts'
import { codeFor } from '../personal-data/personal-data.fixture.ts'
import { payable } from '../posts/posts.fixture.ts'
import { emptiedWorld, sharedWorld } from '../test/world.ts'
import { imports, oldPost, sends, startsImport } from './imports.fixture.ts'

test('texts that no database or page takes are refused or made harmless, never an error of ours', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const texts = [
    '\0',
    'a\0b',
    '\ud800',
    '\u202e',
    '\uffff',
    '💥'.repeat(150),
    '../../x',
    "'; DROP TABLE posts; --",
    '__proto__',
  ]
  for (const text of texts)
    for (const field of [
      'sourceId',
      'fingerprint',
      'slug',
      'title',
      'description',
      'canonicalUrl',
      'language',
      'category',
    ]) {
      const { status, body } = await sends(author, importId, { ...oldPost, [field]: text })
      ok(status < 500, `${field} ${JSON.stringify(text)}: ${status} ${JSON.stringify(body)}`)
    }
  for (const text of texts)
    ok((await author.owner.sends(startImport, { body: { source: text, attested: true } })).status < 500)
  for (const oldPaths of [
    ['/\0'],
    ['/%00'],
    ['/%ff'],
    ['/\ud800'],
    ['/%2e%2e/x'],
    ['/a/../b'],
    ['/@someone/else'],
    ['/%zz'],
  ]) {
    const { status } = await sends(author, importId, { ...oldPost, oldPaths })
    ok(status < 500, `${oldPaths}: ${status}`)
  }
  for (const path of [
    '/%00',
    '/%ff',
    '/@%00/a/b',
    `/@${author.handle}/%00/b`,
    `/@${author.handle}/a/%ff`,
    '/%zz/x',
    `/${'a/'.repeat(400)}`,
  ]) {
    const { statusCode } = await world.server.inject({ method: 'GET', url: path })
    ok(statusCode === 404 || statusCode === 400 || statusCode === 301, `${path}: ${statusCode}`)
  }
  equal((await author.owner.sends(listImportedPosts, { query: {} })).status, 200)
})

test('a sale of an imported post is of today, whatever the date of the post', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, pays, checkAddresses } = market
  const { postId } = await imports(creator, {
    ...oldPost,
    paidContentMarkdown: 'Secret',
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(price),
  })
  const { address } = await quotes(buyer, postId)
  await pays(address, price)
  await checkAddresses()
  const { rows } = await world.services.pool.query('SELECT created_at, paid_at FROM orders WHERE post_id = $1', [
    postId,
  ])
  const today = world.services.clock.now().toISOString().slice(0, 10)
  deepEqual([rows[0].created_at.toISOString().slice(0, 10), rows[0].paid_at.toISOString().slice(0, 10)], [today, today])
})

test('nothing of an import is left when its account is deleted', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  await imports(author, { ...oldPost, oldPaths: ['/a'], canonicalUrl: 'https://ada.example/' })
  const code = await codeFor(world, author, 'deletion')
  const { status } = await author.owner.calls(deleteAccount, {
    body: { handle: author.handle, confirmation: { code } },
  })
  equal(status, 200)
  await world.runJobs()
  await world.advance(3 * 3600)
  await world.runJobs()
  for (const table of ['imports', 'imported_posts', 'old_paths', 'posts'])
    equal((await world.services.pool.query(`SELECT FROM ${table}`)).rows.length, 0, table)
})
