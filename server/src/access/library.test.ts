import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type LibraryItem, listLibrary } from '@pennypost/contract/library'
import { withdrawPost } from '@pennypost/contract/publishing'
import { openMarket, price, quotes, sells, tips, xno } from '../payments/market.fixture.ts'
import { hasAnvil } from '../test/base-chain.ts'
import type { Person } from '../test/person.ts'
import { buys, openUsdcMarket, usdcPrice } from './x402/usdc-market.fixture.ts'

const list = async (person: Person, query: object = {}) => (await person.calls(listLibrary, { query })).body

test('what was bought with Nano is in the library, with its payment; a quote and a tip are not', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, world, postId } = market
  deepEqual(await list(buyer.owner), { data: [], total: 0, page: 1, perPage: 12 })
  const quote = await quotes(buyer, postId)
  equal((await list(buyer.owner)).total, 0, 'a quote buys nothing')
  const tip = await tips(buyer, postId, xno)
  await market.pays(tip.address, xno)
  const hash = await market.pays(quote.address, price)
  await market.checkAddresses()
  const { data, total } = await list(buyer.owner)
  equal(total, 1)
  const [item] = data
  deepEqual(item.payment, {
    id: quote.id,
    asset: 'XNO',
    network: 'nano:mainnet',
    amountAtomic: String(price),
    amount: '0.25',
    payer: null,
    transactions: [hash],
  })
  deepEqual(
    [item.source, item.post.id, item.post.status, item.post.author.id],
    ['purchase', postId, 'published', creator.accountId],
  )
  equal((await list(creator.owner)).total, 0, "what one sold is nobody's purchase")
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  equal((await list(buyer.owner)).data[0].post.status, 'withdrawn', 'and it stays theirs')
  await world.runJobs()
})

test('the library is searched, ordered and asked for one Post', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator } = market
  const titles = ['Bread 100%', 'apples', 'Cider_x']
  const ids: string[] = []
  for (const title of titles) {
    const id = await sells(creator, { title, description: title === 'apples' ? 'An orchard' : '' })
    await market.pays((await quotes(buyer, id)).address, price)
    await market.later(10)
    ids.push(id)
  }
  const found = async (query: object) =>
    (await list(buyer.owner, query)).data.map(({ post }: LibraryItem) => post.title)
  deepEqual(await found({}), ['Cider_x', 'apples', 'Bread 100%'])
  deepEqual(await found({ sort: 'oldest' }), titles)
  deepEqual(await found({ sort: 'title' }), ['apples', 'Bread 100%', 'Cider_x'])
  deepEqual(await found({ q: 'ORCHARD' }), ['apples'])
  deepEqual(await found({ q: '%' }), ['Bread 100%'])
  deepEqual(await found({ q: 'r_x' }), ['Cider_x'])
  deepEqual(await found({ post_id: ids[0] }), ['Bread 100%'])
  deepEqual(await found({ post_id: market.postId }), [])
  const page = await list(buyer.owner, { sort: 'oldest', page: '2', per_page: '2' })
  deepEqual([page.data.length, page.total, page.page, page.perPage], [1, 3, 2, 2])
  deepEqual((await list(buyer.owner, { page: '9' })).total, 3)
  for (const query of [
    { sort: 'sideways' },
    { page: '0' },
    { per_page: '49' },
    { post_id: 'x' },
    { q: 'x'.repeat(101) },
  ])
    equal((await buyer.owner.sends(listLibrary, { query })).status, 400, JSON.stringify(query))
})

test('a linked wallet brings what it bought, each Post once', { skip: !hasAnvil }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const wallet = await market.fundedWallet()
  await buys(market, world.stranger(), wallet)
  const reader = await world.reader()
  equal((await list(reader.owner)).total, 0)
  await world.services.pool.query(
    "INSERT INTO wallets (kind, address, account_id, linked_at) VALUES ('evm', $1, $2, now())",
    [wallet.address, reader.accountId],
  )
  const { data, total } = await list(reader.owner)
  equal(total, 1)
  const [{ post, source, payment }] = data
  deepEqual([post.id, source, payment.asset, payment.payer], [postId, 'x402', 'USDC', wallet.address])
  deepEqual([payment.amountAtomic, payment.amount, payment.transactions.length], [String(usdcPrice), '0.25', 1])
})
