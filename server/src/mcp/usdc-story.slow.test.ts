import { deepEqual, equal, match } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openUsdcMarket, usdcPrice } from '../access/x402/usdc-market.fixture.ts'
import { hasAnvil } from '../test/base-chain.ts'
import { payWith } from '../test/base-wallet.ts'
import { agentFor, revisions } from './mcp-client.fixture.ts'

// Paying with USDC. On its own, because the chain takes seconds.

for (const revision of revisions)
  test(`USDC: a post and a tip are paid through _meta (${revision})`, { skip: !hasAnvil }, async (t: TestContext) => {
    const market = await openUsdcMarket(t)
    const { world, postId } = market
    const wallet = await market.fundedWallet()
    const agent = await agentFor(t, world, { revision })
    const pays = async (name: string, input: object) => {
      const asked = await agent.calls(name, input)
      equal(asked.isError, true)
      const accepted = asked.structuredContent.accepts.find(
        ({ network }: { network: string }) => network === 'eip155:8453',
      )
      const payment = { 'x402/payment': { ...(await payWith(wallet, accepted)), accepted } }
      return { reply: await agent.calls(name, input, payment), payment }
    }
    const { reply, payment } = await pays('buy_post', { postId, asset: 'USDC' })
    equal(reply.isError, undefined, JSON.stringify(reply.content))
    match(reply.structuredContent.untrusted.markdown, /the-secret-part/)
    const receipt = reply._meta['x402/payment-response']
    deepEqual([receipt.success, receipt.payer], [true, wallet.address])
    equal(await market.balance(market.payTo), usdcPrice)
    equal((await agent.calls('buy_post', { postId, asset: 'USDC' }, payment)).isError, undefined)
    equal(await market.balance(market.payTo), usdcPrice)
    const tip = await pays('tip', { postId, amount: '0.10', asset: 'USDC' })
    equal(tip.reply.structuredContent?.amount, '0.10', JSON.stringify(tip.reply.content))
    equal(await market.balance(market.payTo), usdcPrice + 100_000n)
    await market.later(10)
  })
