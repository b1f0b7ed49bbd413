import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createCheckout, settleCheckout } from '@pennypost/contract/checkout'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { auditBooks } from '../../payments/audit/audit-books.ts'
import { faucet, sendAsAnybody } from '../../rails/base/chain/chain-contents.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { type BaseWallet, payWith } from '../../test/base-wallet.ts'
import { jsonOf, presents, signature } from './buying.fixture.ts'
import { openUsdcMarket, stranger, type UsdcMarket, usdcPrice } from './usdc-market.fixture.ts'

const skip = !hasAnvil
const abi = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function transfer(address to, uint256 value) returns (bool)',
])

async function cancels({ world, chain }: UsdcMarket, wallet: BaseWallet, nonce: `0x${string}`): Promise<void> {
  const usdc = world.services.config.usdcAddress
  const signed = await wallet.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: wallet.address, nonce },
  })
  const args = [wallet.address, nonce, signed] as const
  const data = encodeFunctionData({ abi, functionName: 'cancelAuthorization', args })
  equal((await sendAsAnybody(chain.ask, { to: usdc, data })).status, '0x1')
}

/** Somebody's money goes elsewhere. */
async function spends({ world, chain }: UsdcMarket, { address }: BaseWallet): Promise<void> {
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [faucet.address, usdcPrice] })
  await chain.ask('anvil_setBalance', address, '0xde0b6b3a7640000')
  await chain.ask('anvil_impersonateAccount', address)
  await chain.ask('eth_sendTransaction', { from: address, to: world.services.config.usdcAddress, data })
}

const looksLeft = async ({ world }: UsdcMarket): Promise<number> =>
  (await world.services.pool.query("SELECT count(*)::int AS n FROM jobs WHERE name = 'settle-x402-payment'")).rows[0].n

test('an authorization that its payer cancelled has failed for good: nobody looks at it again', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world, postId } = market
  const double = await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet()
  const { accepted, payload } = await market.order(person, wallet)
  double.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).body.error, 'settlement_pending')
  await cancels(market, wallet, payload.authorization.nonce)
  double.heal()
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
  const double = await stranger(t, market)
  const person = world.stranger()
  const wallet = await market.fundedWallet(usdcPrice)
  const { accepted, payload } = await market.order(person, wallet)
  double.always('eth_sendRawTransaction', 'drop')
  equal((await presents(person, postId, accepted, payload)).body.error, 'settlement_pending')
  await spends(market, wallet)
  double.heal()
  // Handed over again, mined, reverted.
  await market.later(70)
  await market.later(70)
  const { rows } = await world.services.pool.query('SELECT hash FROM usdc_transactions')
  const mined = (await chain.ask('eth_getTransactionReceipt', rows[0].hash)) as { status: string }
  equal(mined.status, '0x0')
  const waiting = await presents(person, postId, accepted, payload)
  deepEqual([waiting.body.error, waiting.body.accepts], ['settlement_pending', []])
  await chain.ask('evm_mine')
  await world.advance(300)
  await chain.ask('evm_mine')
  const over = await presents(person, postId, accepted, payload)
  equal(over.body.error, 'invalid_exact_evm_payload_authorization_valid_before')
  ok(over.body.accepts.length > 0)
  await market.later(300)
  equal(await looksLeft(market), 0)
})

test('a checkout that was paid twice after all is two sales, and a third payment is not taken', { skip }, async (t) => {
  const market = await openUsdcMarket(t)
  const { world } = market
  const double = await stranger(t, market)
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
  double.always('eth_sendRawTransaction', 'drop')
  equal((await pays()).status, 409)
  double.heal()
  // As one that we gave up, and that somebody uses after all.
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
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
})
