import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createWebhook, webhookEvents } from '@pennypost/contract/webhooks'
import { comments } from '../discussion/discussion.fixture.ts'
import { openMarket, price, quotes, sells, tips, xno } from '../payments/market.fixture.ts'
import { receiver } from './receiver.fixture.ts'

test('an author’s program is told of publications, comments, sales and tips, each once', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId } = market
  const program = await receiver(t)
  const body = { url: program.url, events: [...webhookEvents] }
  equal((await creator.owner.calls(createWebhook, { body })).status, 201)
  await world.runJobs()
  const told = async () => {
    await world.runJobs()
    return program.calls.splice(0).map(({ body: { type, data } }) => ({ type, data }))
  }
  deepEqual(await told(), [])

  const published = await sells(creator)
  const [publication, ...none] = await told()
  deepEqual(none, [])
  deepEqual([publication!.type, publication!.data.id], ['post.published', published])
  deepEqual(publication!.data.path, `/posts/${published}`)

  const comment = await comments(buyer, postId, 'Well said.')
  await comments(creator, postId, 'Thank you.')
  const [commented, ...others] = await told()
  deepEqual(others, [])
  const { postTitle, authorName, ...rest } = commented!.data
  deepEqual([commented!.type, rest], ['comment.created', { id: comment.id, postId, content: 'Well said.' }])
  equal(typeof postTitle === 'string' && typeof authorName === 'string', true)

  const { id, address } = await quotes(buyer, postId)
  await market.pays(address, price)
  await market.checkAddresses()
  const [sale, ...more] = await told()
  deepEqual(more, [])
  const { id: saleId, currency, amountAtomic } = sale!.data
  deepEqual([sale!.type, saleId, currency, amountAtomic], ['sale.created', id, 'XNO', String(price)])
  equal(BigInt(String(sale!.data.earnedAtomic)) <= price, true)

  const tip = await tips(buyer, postId, xno)
  await market.pays(tip.address, xno)
  await market.checkAddresses()
  const [tipped, ...last] = await told()
  deepEqual(last, [])
  deepEqual([tipped!.type, tipped!.data.amountAtomic], ['tip.created', String(xno)])
})
