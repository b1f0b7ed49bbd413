import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { parseTransaction } from 'viem/utils'
import { hasAnvil } from '../../../test/base-chain.ts'
import { newestBlock, openShop, price, type Shop } from './payments.fixture.ts'

const skip = !hasAnvil
const gwei = 10n ** 9n
const hex = (value: bigint) => `0x${value.toString(16)}`

/** A payment whose transaction is not mined, because the base fee has risen above its fee. */
async function stuckPayment(shop: Shop) {
  await mine(shop, gwei)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { settleTimeoutMs: 300 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.call('evm_setAutomine', false)
  equal((await facilitator.settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
  return { reconciles: () => facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store) }
}

const feesOf = (shop: Shop) => shop.stored.map(({ raw }) => parseTransaction(raw))

const mine = async (shop: Shop, baseFee: bigint) => {
  await shop.chain.call('anvil_setNextBlockBaseFeePerGas', hex(baseFee))
  await shop.chain.call('evm_mine')
}

test('a stuck transaction is signed again with a higher fee and the same call and nonce, and both are stored', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const { reconciles } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  equal((await reconciles()).kind, 'uncertain')
  equal(shop.stored.length, 1, 'not before its time')
  await shop.clock.advance(31_000)
  equal((await reconciles()).kind, 'uncertain')
  equal(shop.stored.length, 2)
  const [first, second] = feesOf(shop)
  deepEqual([second?.nonce, second?.to, second?.data, second?.gas], [first?.nonce, first?.to, first?.data, first?.gas])
  ok(second!.maxFeePerGas! * 10n > first!.maxFeePerGas! * 11n)
  ok(second!.maxPriorityFeePerGas! * 10n > first!.maxPriorityFeePerGas! * 11n)
  equal(shop.stored[1]!.replaces, shop.stored[0]!.hash)
  await shop.chain.call('evm_mine')
  const settled = await reconciles()
  equal(settled.kind === 'settled' && settled.transaction, shop.stored[1]!.hash)
  equal(await shop.balance(shop.payTo), price)
})

test('if the first transaction is mined after all, it is found, and the payer does not pay twice', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const { reconciles } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(31_000)
  equal((await reconciles()).kind, 'uncertain')
  equal(shop.stored.length, 2)
  // A node that never saw the second.
  await shop.chain.call('anvil_dropAllTransactions')
  await mine(shop, gwei)
  await shop.chain.call('eth_sendRawTransaction', shop.stored[0]!.raw)
  await mine(shop, gwei)
  const settled = await reconciles()
  equal(settled.kind === 'settled' && settled.transaction, shop.stored[0]!.hash)
  await shop.chain.call('evm_setAutomine', true)
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()))).kind, 'settled', 'the next nonce is free')
  equal(await shop.balance(shop.payTo), 2n * price)
})

test('later payments are settled once the fee of a stuck one is raised', { skip }, async (t) => {
  const shop = await openShop(t)
  const { reconciles } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(31_000)
  equal((await reconciles()).kind, 'uncertain')
  await shop.chain.call('evm_setAutomine', true)
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()))).kind, 'settled', 'by another process')
  equal((await reconciles()).kind, 'settled')
  deepEqual(
    shop.stored.map(({ nonce }) => nonce - shop.stored[0]!.nonce),
    [0, 0, 1],
  )
})

test('the fee is not raised beyond the limit for a payment', { skip }, async (t) => {
  const shop = await openShop(t)
  const { reconciles } = await stuckPayment(shop)
  for (let time = 0; time < 4; time += 1) {
    await mine(shop, 100n * gwei)
    await shop.clock.advance(31_000)
    equal((await reconciles()).kind, 'uncertain')
  }
  equal(shop.stored.length, 2)
  equal(feesOf(shop)[1]!.maxFeePerGas, 10n * gwei)
})

test('the fee is not raised after the authorization expired', { skip }, async (t) => {
  const shop = await openShop(t)
  const { reconciles } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(301_000)
  equal((await reconciles()).kind, 'uncertain')
  equal(shop.stored.length, 1)
})
