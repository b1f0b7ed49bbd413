import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { revokeKey } from '@pennypost/contract/keys'
import { toolsOf } from '@pennypost/mcp/all-tools'
import { callTool } from '@pennypost/mcp/call-tool'
import { nanoSigner } from '@pennypost/sdk/nano'
import { type Market, openMarket, price, savesAddress, sells } from '../payments/market.fixture.ts'
import { sdkFor } from '../test/sdk/sdk-client.fixture.ts'
import { agentFor } from './mcp-client.fixture.ts'

// An agent's whole story, told with the official client.

const signerOf = ({ wallet, network }: Market) =>
  nanoSigner({ secretKey: Buffer.from(wallet.secretKey).toString('hex'), rpcUrl: network.rpcUrl })

interface Offer {
  readonly network: string
  readonly payTo: string
  readonly amount: string
}

/** What the wallet of an agent does with an offer. The key never leaves it. */
async function signs(market: Market, { accepts }: { accepts: readonly Offer[] }) {
  const accepted = accepts.find(({ network }) => network === 'nano:mainnet')!
  const block = await signerOf(market).signSend({ to: accepted.payTo, amountRaw: accepted.amount })
  return { 'x402/payment': { x402Version: 2, payload: { block }, accepted } }
}

test('an agent searches, reads, is asked for payment, pays with Nano, cites, publishes and earns', async (t) => {
  const market = await openMarket(t)
  const { world, postId, network, wallet } = market
  await world.runJobs()
  await world.server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}`
  const balance = async () => (await network.client.accountInfo(wallet.address))!.balance
  const before = await balance()
  const agent = await agentFor(t, world, { url })

  const found = (await agent.calls('search_posts', { query: 'engines', access: 'paid' })).structuredContent
  equal(found.posts[0].postId, postId)
  deepEqual(found.posts[0].prices[0], { asset: 'XNO', amount: '0.25' })
  const preview = (await agent.calls('read_post', { postId })).structuredContent
  deepEqual([preview.access, preview.untrusted.markdown], ['preview', 'Free'])
  equal((await agent.calls('quote_post', { postId })).structuredContent.prices[0].amount, '0.25')

  const asked = await agent.calls('buy_post', { postId })
  equal(asked.isError, true)
  deepEqual([asked.structuredContent.x402Version, asked.structuredContent.accepts.length], [2, 1])
  deepEqual(JSON.parse(asked.content[0].text), asked.structuredContent)
  match(asked.content[1].text, /nothing was charged/)
  equal(await balance(), before)

  const payment = await signs(market, asked.structuredContent)
  const bought = await agent.calls('buy_post', { postId }, payment)
  equal(bought.isError, undefined, JSON.stringify(bought.content))
  match(bought.structuredContent.untrusted.markdown, /the-secret-part/)
  match(bought.structuredContent.untrusted.citation, /"On engines"/)
  const receipt = bought._meta['x402/payment-response']
  deepEqual([receipt.success, receipt.network, receipt.payer], [true, 'nano:mainnet', wallet.address])
  equal(before - (await balance()), price)

  // The same payment opens it again, by HTTP too, and is never charged again.
  equal((await agent.calls('buy_post', { postId }, payment)).isError, undefined)
  const header = Buffer.from(JSON.stringify(payment['x402/payment'])).toString('base64')
  const overHttp = await world
    .stranger()
    .sends(getAccess, { params: { postId }, headers: { 'payment-signature': header } })
  equal(overHttp.body.paidContentMarkdown, 'the-secret-part')
  // It opens nothing else.
  const other = await sells(market.creator, { title: 'On brakes' })
  const replayed = await agent.calls('buy_post', { postId: other }, payment)
  equal(replayed.isError, true)
  ok(!JSON.stringify(replayed).includes('the-secret-part'))
  equal(before - (await balance()), price)
  await market.later(10)

  // The agent writes about it, and is paid.
  const writer = await world.creator()
  await savesAddress(writer, wallet.address)
  const author = await agentFor(t, world, { url, token: writer.publisher.token })
  const { citation } = bought.structuredContent.untrusted
  const draft = await author.calls('save_draft', {
    title: 'What I learned about engines',
    freeMarkdown: `From ${citation}`,
    paidMarkdown: 'the-answer',
    price: { amount: '0.25', asset: 'XNO' },
    category: 'technology',
    language: 'en',
    creationMethod: 'autonomous_agent',
  })
  const mine = draft.structuredContent.postId
  const blocked = await author.calls('publish', { postId: mine })
  match(blocked.content[0].text, /publication-blocked.*creationAttested/s)
  await author.calls('save_draft', { postId: mine, creationAttested: true, revision: draft.structuredContent.revision })
  const stale = await author.calls('save_draft', {
    postId: mine,
    title: 'Late',
    revision: draft.structuredContent.revision,
  })
  match(stale.content[0].text, /revision-conflict/)
  match((await author.calls('preview', { markdown: '**bold**' })).structuredContent.html, /<strong>bold/)
  equal((await author.calls('publish', { postId: mine })).structuredContent.status, 'published')
  const offer = await agent.calls('buy_post', { postId: mine, asset: 'XNO' })
  const sold = await agent.calls('buy_post', { postId: mine }, await signs(market, offer.structuredContent))
  match(sold.structuredContent.untrusted.markdown, /the-answer/)
  await market.later(10)
  equal((await author.calls('list_my_posts', { limit: 40 })).structuredContent.posts[0].sales, 1)
  equal((await author.client.listResources()).resources[0].uri, `post://${mine}`)
  const person = await agentFor(t, world, { url, token: writer.owner.token })
  const earned = (await person.calls('earnings')).structuredContent
  deepEqual([earned.XNO.payments, earned.XNO.gross, earned.posts[0].postId], [1, '0.25', mine])
  ok(
    (await person.calls('notifications', { limit: 40 })).structuredContent.items.some(({ kind }: { kind: string }) =>
      /sale|purchase/.test(kind),
    ),
  )
})

test('a tip is paid as a post is, and everything else that an account does', async (t) => {
  const market = await openMarket(t)
  const { world, postId, buyer, creator } = market
  const agent = await agentFor(t, world, { token: buyer.owner.token, revision: '2025-11-25' })
  const amount = { amount: '0.01', asset: 'XNO' }
  const asked = await agent.calls('tip', { postId, ...amount })
  deepEqual([asked.isError, asked.structuredContent.accepts[0].amount], [true, `1${'0'.repeat(28)}`])
  const tipped = await agent.calls('tip', { postId, ...amount }, await signs(market, asked.structuredContent))
  equal(tipped.structuredContent?.amount, '0.01', JSON.stringify(tipped.content))
  equal(tipped._meta['x402/payment-response'].success, true)
  await market.later(10)

  const said = await agent.calls('comment', { postId, text: 'Well written', requestId: 'once' })
  const again = await agent.calls('comment', { postId, text: 'Well written', requestId: 'once' })
  equal(again.structuredContent.commentId, said.structuredContent.commentId)
  const { commentId } = said.structuredContent
  equal((await agent.calls('react', { postId, reaction: 'heart' })).structuredContent.yours, 'heart')
  equal((await agent.calls('react', { commentId, reaction: null })).structuredContent.yours, null)
  const read = await agent.calls('read_post', { postId, comments: 5 })
  deepEqual(read.structuredContent.untrusted.comments[0].text, 'Well written')
  match(read.content[0].text, /Well written/)
  const authorId = read.structuredContent.untrusted.author.id
  equal((await agent.calls('follow', { authorId, following: true })).structuredContent.following, true)

  // Bought over HTTP, read here.
  const asked2 = await agent.calls('buy_post', { postId })
  const bought = await agent.calls('buy_post', { postId }, await signs(market, asked2.structuredContent))
  equal(bought.isError, undefined)
  await market.later(10)
  const { posts } = (await agent.calls('library', { limit: 40 })).structuredContent
  deepEqual([posts.length, posts[0].postId, posts[0].paid], [1, postId, '0.25 XNO'])
  match((await agent.calls('read_post', { postId })).structuredContent.untrusted.markdown, /the-secret-part/)
  const { resources } = await agent.client.listResources()
  deepEqual([resources.length, resources[0].uri], [1, `post://${postId}`])
  // Buyers keep what its author unpublished.
  const author = await agentFor(t, world, { token: creator.publisher.token })
  equal((await author.calls('unpublish', { postId })).structuredContent.status, 'withdrawn')
  match((await agent.calls('read_post', { postId })).structuredContent.untrusted.markdown, /the-secret-part/)
  await world.runJobs()
})

test('a key that is revoked stops working in the middle of a conversation', async (t) => {
  const market = await openMarket(t)
  const { owner, publisher, keyId } = await market.world.creator()
  const agent = await agentFor(t, market.world, { token: publisher.token })
  equal((await agent.calls('save_draft', { title: 'One' })).isError, undefined)
  await owner.calls(revokeKey, { params: { keyId } })
  await rejects(agent.calls('save_draft', { title: 'Two' }), /401|[Uu]nauthorized/)
  await rejects(agent.calls('search_posts'), /401|[Uu]nauthorized/)
})

test("on the user's machine a payment is uncertain until it is known, and calling again sends the same one", async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, network } = market
  const balance = async () => (await network.client.accountInfo(wallet.address))!.balance
  const before = await balance()
  const options = { signers: { nano: signerOf(market) }, retry: { attempts: 1 } }
  const spendingLimit = { perPayment: { XNO: '0.25' }, total: { XNO: '0.5' } }
  const { client, sent, loseReplies } = sdkFor(world, { ...options, spendingLimit })
  const call = {
    pennypost: client,
    hasKey: false,
    hasSession: false,
    wallet: { addresses: { XNO: wallet.address } },
    waitSeconds: 0,
    payment: undefined,
    signal: undefined,
  }
  const runs = (name: string, input: object) =>
    callTool(toolsOf('local').find((tool) => tool.name === name)!, call, input)
  const textOf = ({ content }: Awaited<ReturnType<typeof runs>>) => (content[0] as { text: string }).text

  match(textOf(await runs('buy_post', { postId, maxPrice: { amount: '0.1', asset: 'XNO' } })), /spending-limit/)
  loseReplies(({ headers }) => headers.has('payment-signature'))
  const lost = await runs('buy_post', { postId })
  equal(lost.isError, true)
  match(textOf(lost), /payment-uncertain.*do not pay in another way/)
  const lostTip = await runs('tip', { postId, amount: '0.01', asset: 'XNO' })
  const [, requestId] = /requestId "([^"]+)"/.exec(textOf(lostTip)) ?? []
  loseReplies(undefined)
  const bought = await runs('buy_post', { postId })
  equal(bought.isError, undefined, textOf(bought))
  equal((bought.structuredContent as { paid: { amount: string } }).paid.amount, '0.25')
  equal((await runs('tip', { postId, amount: '0.01', asset: 'XNO', requestId })).isError, undefined)
  const presented = sent.flatMap(({ headers }) => headers.get('payment-signature') ?? [])
  equal(new Set(presented).size, 2)
  equal(before - (await balance()), price + 10n ** 28n)
  const me = (await runs('whoami', {})).structuredContent as { account: null; wallet: { spent: { XNO: string } } }
  deepEqual([me.account, me.wallet.spent.XNO], [null, '0.26'])
  // Beyond the limit nothing is signed.
  const other = await sells(market.creator)
  match(textOf(await runs('buy_post', { postId: other })), /spending-limit/)
  await market.later(10)
})
