import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { setRates } from '@pennypost/contract/development-tools'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { authorIn, publishes } from '../discovery/published.fixture.ts'
import { freeAgain, payableOnBase } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import type { World } from '../test/world.ts'
import { openOfferedPosts } from './offered-posts.ts'

// What strangers read together is what each would have read alone, as it is now.

const at = (postId: string) => ({ params: { postId } })
const rawOf = (tenths: number) => `${tenths}${'0'.repeat(29)}`

/** Of one stranger, some requests would wait for others. */
const asks = (world: World, postIds: readonly string[]) =>
  Promise.all(postIds.map((postId) => world.stranger().calls(getAccess, at(postId))))

/** As many as ask at the same moment get what one would get. */
async function quotes(world: World, postId: string) {
  const replies = await asks(world, Array<string>(8).fill(postId))
  const shown = replies.map(({ status, body }) => [
    status,
    body.offers?.map(({ asset, amountAtomic }: Record<string, string>) => `${asset} ${amountAtomic}`).join() ?? null,
    body.resource?.description ?? null,
  ])
  for (const each of shown) deepEqual(each, shown[0])
  return shown[0]!
}

async function changes({ publisher }: Creator, postId: string, body: object) {
  const { body: post } = await publisher.calls(getPost, at(postId))
  const headers = { 'x-post-revision': post.updatedAt }
  equal((await publisher.sends(updatePost, { ...at(postId), headers, body })).status, 200)
}

test('what an author changes is in the next 402: price, title, paywall; what is withdrawn has none', async (t) => {
  // Its own world, because it sets rates.
  const { world, author, reader } = await authorIn(t, {}, { isolation: 'own' })
  await payableOnBase(author)
  const { id } = await publishes(author, { title: 'One', priceAtomic: rawOf(4) })
  deepEqual(await quotes(world, id), [402, `USDC 500000,XNO ${rawOf(4)}`, 'One: What they can do'])
  await changes(author, id, { priceAtomic: rawOf(8) })
  deepEqual(await quotes(world, id), [402, `USDC 1000000,XNO ${rawOf(8)}`, 'One: What they can do'])
  await changes(author, id, { priceCurrency: 'USDC', priceAtomic: '250000', title: 'Two' })
  deepEqual(await quotes(world, id), [402, `USDC 250000,XNO ${rawOf(2)}`, 'Two: What they can do'])
  await reader.calls(setRates, { body: { XNO: '2.5', USDC: '1', at: new Date().toISOString() } })
  deepEqual(await quotes(world, id), [402, `USDC 250000,XNO ${rawOf(1)}`, 'Two: What they can do'])
  await changes(author, id, freeAgain)
  deepEqual(await quotes(world, id), [200, null, null])
  await author.publisher.calls(withdrawPost, at(id))
  deepEqual(await quotes(world, id), [404, null, null])
})

test('the next 402 pays the address that was saved last', async (t) => {
  const { author, reader } = await authorIn(t)
  const { id } = await publishes(author)
  const tokenOf = async () => {
    const { body } = await reader.calls(getAccess, at(id))
    return Buffer.from(body.accepts[0].extra.quote, 'base64url')
  }
  const recipientOf = (token: Buffer) => token.subarray(24, 56).toString('hex')
  const before = recipientOf(await tokenOf())
  equal(recipientOf(await tokenOf()), before)
  const payoutAddress = 'nano_1natrium1o3z5519ifou7xii8crpxpk8y65qmkih8e8bpsjri651oza8imdd'
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress } })
  notEqual(recipientOf(await tokenOf()), before)
})

test('those who ask at the same moment for different posts each get their own; what does not exist is 404', async (t) => {
  const { world, author } = await authorIn(t)
  const prices = [1, 2, 3].map(rawOf)
  const posts = await Promise.all(prices.map((priceAtomic) => publishes(author, { priceAtomic })))
  const asked = [0, 1, 2, 0, 2, 1, 0].map((index) => posts[index]!.id)
  const absent = randomUUID()
  const replies = await asks(world, [...asked, absent, asked[1]!.toUpperCase(), absent])
  const amounts = replies.map(({ status, body }) => body.accepts?.[0].amount ?? status)
  const [one, two, three] = prices
  deepEqual(amounts, [one, two, three, one, three, two, one, 404, two, 404])
})

test('a post that many ask for at the same moment is read once', async (t) => {
  const { world, author } = await authorIn(t)
  const [one, other] = [await publishes(author), await publishes(author)]
  const asked: string[][] = []
  const { pool } = world.services
  const query = ((statement: { values: [string[]] }) => {
    asked.push(statement.values[0])
    return pool.query(statement as never)
  }) as unknown as typeof pool.query
  const find = openOfferedPosts({ query } as typeof pool)
  const found = await Promise.all([one.id, other.id, one.id, one.id.toUpperCase()].map(find))
  deepEqual(
    found.map((post) => post?.id),
    [one.id, other.id, one.id, one.id],
  )
  deepEqual(asked, [[one.id, other.id]])
  // One that asks later does not get what was read before.
  await author.publisher.calls(withdrawPost, at(one.id))
  equal((await find(one.id))?.status, 'withdrawn')
})
