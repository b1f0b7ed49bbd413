import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { encodeFunctionData } from 'viem/utils'
import { faucet, sendFromNewAccount } from '../../development/base-chain/chain-contents.ts'
import { cancellingCall, tokenAbi } from '../../rails/base/payment/payments.fixture.ts'
import { hasAnvil, minedReceipt } from '../../test/base-chain.ts'
import { type BaseWallet, payWith } from '../../test/base-wallet.ts'
import { jsonOf, presents, signature } from './buying.fixture.ts'
import { isClean, openUsdcMarket, stranger, type UsdcMarket, usdcPrice } from './usdc-market.fixture.ts'

const skip = !hasAnvil

async function cancels({ world, chain }: UsdcMarket, wallet: BaseWallet, nonce: `0x${string}`): Promise<void> {
  const usdc = world.services.config.usdcAddress
  const data = await cancellingCall(wallet, nonce)
  equal((await sendFromNewAccount(chain.call, { to: usdc, data })).status, '0x1')
}

/** A wallet spends its money elsewhere. */
async function spends({ world, chain }: UsdcMarket, { address }: BaseWallet): Promise<void> {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [faucet.address, usdcPrice] })
  await chain.call('anvil_setBalance', address, '0xde0b6b3a7640000')
  await chain.call('anvil_impersonateAccount', address)
  await chain.call('eth_sendTransaction', { from: address, to: world.services.config.usdcAddress, data })
}

const looksLeft = async ({ world }: UsdcMarket): Promise<number> =>
  (await world.services.pool.query("SELECT count(*)::int AS n FROM jobs WHERE name = 'settle-x402-payment'")).rows[0].n

test('an authorization that its payer cancelled has failed for good: nobody looks at it again', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await market.order(person, wallet)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).body.error, 'settlement_pending')
  await cancels(market, wallet, payload.authorization.nonce)
  faultyNode.heal()
  await market.later(70)
  const reply = await presents(person, postId, accepted, payload)
  deepEqual([reply.status, reply.body.error], [402, 'invalid_exact_evm_nonce_already_used'])
  ok(reply.body.accepts.length > 0)
  equal(jsonOf(reply, 'payment-response').success, false)
  equal(await looksLeft(market), 0)
})

test('a transaction that reverts leaves the authorization in the open: its buyer waits until it is void', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  const faultyNode = await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet(usdcPrice)
  const { accepted, payload } = await market.order(person, wallet)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).body.error, 'settlement_pending')
  await spends(market, wallet)
  faultyNode.heal()
  // Handed over again, mined, reverted.
  await market.later(70)
  await market.later(70)
  const { rows } = await world.services.pool.query('SELECT hash FROM usdc_transactions')
  equal((await minedReceipt(chain.call, rows[0].hash)).status, '0x0')
  const waiting = await presents(person, postId, accepted, payload)
  deepEqual([waiting.body.error, waiting.body.accepts], ['settlement_pending', []])
  await chain.call('evm_mine')
  await world.advance(300)
  await chain.call('evm_mine')
  const over = await presents(person, postId, accepted, payload)
  equal(over.body.error, 'invalid_exact_evm_payload_authorization_valid_before')
  ok(over.body.accepts.length > 0)
  await market.later(300)
  equal(await looksLeft(market), 0)
})

test('a checkout that was paid twice after all is two sales, and a third payment is not taken', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  const faultyNode = await stranger(t, market)
  const guest = world.stranger()
  const begun = await guest.calls(createCheckout, {
    idempotencyKey: randomUUID(),
    body: { postId: market.postId, asset: 'USDC' },
  })
  const { checkout, paymentRequired, checkoutCredential } = begun.body
  const [accepted] = paymentRequired.accepts
  const pays = async () => {
    const { payload } = await payWith(await market.fundedWallet(), accepted)
    const headers = { ...signature(accepted, payload), authorization: `Bearer ${checkoutCredential}` }
    return guest.calls(settleCheckout, { params: { checkoutId: checkout.id }, headers })
  }
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await pays()).status, 409)
  faultyNode.heal()
  // As one that we gave up and that is used after all.
  await world.services.pool.query("UPDATE x402_payments SET state = 'failed', failure = 'refused'")
  await world.advance(70)
  equal((await pays()).status, 200)
  await market.later(70)
  await market.later(70)
  const { rows } = await world.services.pool.query('SELECT state FROM x402_payments')
  deepEqual(rows, [{ state: 'settled' }, { state: 'settled' }])
  equal(await market.balance(market.payTo), 2n * usdcPrice)
  const third = await pays()
  deepEqual([third.status, third.body.error], [402, 'quote_already_used'])
  await isClean(market)
})

test('a transaction that is stuck gets a higher fee and keeps its nonce: the buyer reads, and has paid once', {
  skip,
}, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId, chain } = market
  await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await market.order(person, wallet)
  await chain.call('evm_setAutomine', false)
  equal((await presents(person, postId, accepted, payload)).body.error, 'settlement_pending')
  // The fee of a block rises above what it offers.
  await chain.call('anvil_setNextBlockBaseFeePerGas', '0x1dcd65000')
  await market.later(40)
  const signed = async () =>
    (await world.services.pool.query('SELECT hash, nonce, replaces FROM usdc_transactions ORDER BY signed_at')).rows
  const [first, second, ...more] = await signed()
  deepEqual([second.nonce, second.replaces, more], [first.nonce, first.hash, []])
  const pending = await presents(person, postId, accepted, payload)
  equal(jsonOf(pending, 'payment-response').transaction, second.hash)
  await chain.call('evm_mine')
  await market.later(20)
  const read = await presents(person, postId, accepted, payload)
  deepEqual([read.status, jsonOf(read, 'payment-response').transaction], [200, second.hash])
  equal(await market.balance(wallet.address), 10_000_000n - usdcPrice)
  const { rows } = await world.services.pool.query('SELECT id FROM x402_payments')
  const steals = `INSERT INTO usdc_transactions (hash, payment_id, signer, nonce, raw, signed_at, replaces)
    SELECT '0x1', '${rows[0].id}', signer, nonce + 1, raw, signed_at, hash FROM usdc_transactions LIMIT 1`
  await rejects(world.services.pool.query(steals), /usdc_transactions_replaces/, 'another nonce replaces nothing')
  await chain.call('evm_setAutomine', true)
  await market.later(10)
  await isClean(market)
})
