import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { sendAsAnybody } from '../../rails/base/chain/chain-contents.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import type { BaseWallet } from '../../test/base-wallet.ts'
import { jsonOf, presents } from './buying.fixture.ts'
import { openUsdcMarket, stranger, type UsdcMarket } from './usdc-market.fixture.ts'

const skip = !hasAnvil
const abi = parseAbi(['function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)'])

async function cancels({ world, chain }: UsdcMarket, wallet: BaseWallet, nonce: `0x${string}`): Promise<void> {
  const usdc = world.services.config.usdcAddress
  const signature = await wallet.signTypedData({
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
  const args = [wallet.address, nonce, signature] as const
  const data = encodeFunctionData({ abi, functionName: 'cancelAuthorization', args })
  equal((await sendAsAnybody(chain.ask, { to: usdc, data })).status, '0x1')
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
