import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openBase } from '../../rails/base/open-base.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { payWith } from '../../test/base-wallet.ts'
import { jsonOf, presents, quoteFor } from './buying.fixture.ts'
import { isClean, openUsdcMarket, submits, type UsdcMarket, usdcPrice } from './usdc-market.fixture.ts'

const skip = !hasAnvil
const transaction = `0x${'ab'.repeat(32)}`

/** How a facilitator elsewhere answers when it is asked to settle. */
type Answer = 'drop' | 'silent' | { readonly status: number; readonly body: string }

const says = (errorReason: string, named = ''): Answer => ({
  status: 200,
  body: JSON.stringify({ success: false, errorReason, transaction: named, network: 'eip155:8453', payer: '' }),
})

/** The service settles through a facilitator that calls everything valid and settles nothing. */
async function elsewhere(t: TestContext, { world, chain }: UsdcMarket) {
  let answer: Answer = 'drop'
  const server = createServer((request, response: ServerResponse) => {
    request.resume()
    if (request.url === '/verify') response.end('{"isValid":true}')
    else if (answer === 'drop') request.socket.destroy()
    else if (answer !== 'silent') response.writeHead(answer.status).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const facilitatorUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { base: own, config, clock, log, metrics } = world.services
  t.after(() => Object.assign(world.services, { base: own }))
  metrics.registry.clear()
  const settings = { settle: 'remote', facilitatorUrl, rpcUrls: [chain.rpcUrl], walletFactories: [] } as const
  const parts = { clock, log, metrics, timeoutMs: 400, settleTimeoutMs: 300 }
  Object.assign(world.services, { base: await openBase({ ...config, base: settings }, parts) })
  return {
    answers: (next: Answer) => {
      answer = next
    },
  }
}

const noAnswers: readonly [what: string, answer: Answer, named: string][] = [
  ['a connection that breaks', 'drop', ''],
  ['silence', 'silent', ''],
  ['a bad gateway', { status: 502, body: 'bad gateway' }, ''],
  ['an internal error', { status: 500, body: '{"error":"database"}' }, ''],
  ['too many requests', { status: 429, body: '{}' }, ''],
  ['a page', { status: 404, body: '<html>' }, ''],
  ['pending', says('settlement_pending', transaction), transaction],
  ['an odd reason', says('unexpected_settle_error'), ''],
  ['a reason after its broadcast', says('invalid_exact_evm_transaction_failed', transaction), transaction],
  ['no balance', says('insufficient_funds'), ''],
  ['a wrong signature', says('invalid_exact_evm_signature'), ''],
]

test('a remote facilitator that does not settle fails nothing: the chain has the last word', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const { answers } = await elsewhere(t, market)
  let elapsed = 0
  for (const [what, answer, named] of noAnswers) {
    answers(answer)
    // What does not answer is left alone for a while.
    await world.advance(120)
    await chain.call('evm_mine')
    const person = world.stranger()
    const wallet = await market.fundedWallet()
    const accepted = await quoteFor(person, postId, 'eip155:8453')
    // Clients go by their own clock, which the service's has left behind.
    elapsed += 130
    const { payload } = await payWith(wallet, { ...accepted, maxTimeoutSeconds: 300 + elapsed })
    const pending = await presents(person, postId, accepted, payload)
    deepEqual([pending.status, pending.body.error, pending.body.accepts], [402, 'settlement_pending', []], what)
    deepEqual(
      [jsonOf(pending, 'payment-response').errorReason, jsonOf(pending, 'payment-response').transaction],
      ['settlement_pending', named],
      what,
    )
    // It did it after all, and says so to nobody.
    await submits(market, payload)
    await market.later(10)
    const read = await presents(person, postId, accepted, payload)
    equal(read.status, 200, what)
    ok(jsonOf(read, 'payment-response').transaction !== named)
    equal(await market.balance(wallet.address), 10_000_000n - usdcPrice, 'charged once')
  }
  await market.later(70)
  await isClean(market)
})

test('it has failed when the chain shows that the authorization was not used and no longer can be', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const { answers } = await elsewhere(t, market)
  answers(says('insufficient_funds'))
  const person = world.stranger()
  const { accepted, payload } = await market.order(person, await market.fundedWallet())
  const asks = async () => (await presents(person, postId, accepted, payload)).body
  equal((await asks()).error, 'settlement_pending')
  await world.advance(310)
  await chain.call('evm_mine')
  equal((await asks()).error, 'settlement_pending', 'a block may be taken back')
  await world.advance(60)
  await chain.call('evm_mine')
  const over = await asks()
  equal(over.error, 'invalid_exact_evm_payload_authorization_valid_before')
  ok(over.accepts.length > 0)
  await market.later(300)
  await isClean(market)
})
