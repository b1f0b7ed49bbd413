import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { parseTransaction } from 'viem/utils'
import { hasAnvil } from '../../../test/base-chain.ts'
import { newestBlock, openShop, price, type Shop } from './payments.fixture.ts'

const skip = !hasAnvil
const gwei = 10n ** 9n
const hex = (value: bigint) => `0x${value.toString(16)}`

/** A payment whose transaction nobody mines, since the fee of a block has risen above what it offers. */
async function stuckPayment(shop: Shop) {
  await mine(shop, gwei)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { patienceMs: 300 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.ask('evm_setAutomine', false)
  equal((await facilitator.settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
  return { looks: () => facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store) }
}

const feesOf = (shop: Shop) => shop.stored.map(({ raw }) => parseTransaction(raw))

const mine = async (shop: Shop, baseFee: bigint) => {
  await shop.chain.ask('anvil_setNextBlockBaseFeePerGas', hex(baseFee))
  await shop.chain.ask('evm_mine')
}

test('a transaction that is stuck is signed again with a higher fee: the same call and nonce, and both are kept', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const { looks } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  equal((await looks()).kind, 'uncertain')
  equal(shop.stored.length, 1, 'not before its time')
  await shop.clock.advance(31_000)
  equal((await looks()).kind, 'uncertain')
  equal(shop.stored.length, 2)
  const [first, second] = feesOf(shop)
  deepEqual([second?.nonce, second?.to, second?.data, second?.gas], [first?.nonce, first?.to, first?.data, first?.gas])
  ok(second!.maxFeePerGas! * 10n > first!.maxFeePerGas! * 11n)
  ok(second!.maxPriorityFeePerGas! * 10n > first!.maxPriorityFeePerGas! * 11n)
  equal(shop.stored[1]!.replaces, shop.stored[0]!.hash)
  await shop.chain.ask('evm_mine')
  const settled = await looks()
  equal(settled.kind === 'settled' && settled.transaction, shop.stored[1]!.hash)
  equal(await shop.balance(shop.payTo), price)
})

test('the first of them may be mined after all: it is looked for too, and nobody pays twice', { skip }, async (t) => {
  const shop = await openShop(t)
  const { looks } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(31_000)
  equal((await looks()).kind, 'uncertain')
  equal(shop.stored.length, 2)
  // A node that never heard of the second.
  await shop.chain.ask('anvil_dropAllTransactions')
  await mine(shop, gwei)
  await shop.chain.ask('eth_sendRawTransaction', shop.stored[0]!.raw)
  await mine(shop, gwei)
  const settled = await looks()
  equal(settled.kind === 'settled' && settled.transaction, shop.stored[0]!.hash)
  await shop.chain.ask('evm_setAutomine', true)
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()))).kind, 'settled', 'the next nonce is free')
  equal(await shop.balance(shop.payTo), 2n * price)
})

test('it holds up nobody: those behind it are settled once it is raised', { skip }, async (t) => {
  const shop = await openShop(t)
  const { looks } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(31_000)
  equal((await looks()).kind, 'uncertain')
  await shop.chain.ask('evm_setAutomine', true)
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()))).kind, 'settled', 'by another process')
  equal((await looks()).kind, 'settled')
  deepEqual(
    shop.stored.map(({ nonce }) => nonce - shop.stored[0]!.nonce),
    [0, 0, 1],
  )
})

test('it is raised no further than a payment is worth', { skip }, async (t) => {
  const shop = await openShop(t)
  const { looks } = await stuckPayment(shop)
  for (let time = 0; time < 4; time += 1) {
    await mine(shop, 100n * gwei)
    await shop.clock.advance(31_000)
    equal((await looks()).kind, 'uncertain')
  }
  equal(shop.stored.length, 2)
  equal(feesOf(shop)[1]!.maxFeePerGas, 10n * gwei)
})

test('it is not raised once the authorization has run out', { skip }, async (t) => {
  const shop = await openShop(t)
  const { looks } = await stuckPayment(shop)
  await mine(shop, 8n * gwei)
  await shop.clock.advance(301_000)
  equal((await looks()).kind, 'uncertain')
  equal(shop.stored.length, 1)
})
