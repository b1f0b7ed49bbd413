import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { hasAnvil } from '../../../test/base-chain.ts'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import { until } from '../../../test/until.ts'
import { newestBlock, openShop, price, type Shop, strangerUses } from './payments.fixture.ts'

const skip = !hasAnvil

const transactionsOf = async (shop: Shop) =>
  Number(await shop.chain.call('eth_getTransactionCount', shop.stored[0]!.signer, 'latest'))

test('a reply lost after the broadcast does not fail the payment', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  for (const fault of [
    'silent-after',
    'drop-after',
    'twice',
    (reply: object) => ({ ...reply, result: '0x12' }),
  ] as const) {
    const facilitator = shop.facilitatorAt([faultyNode.rpcUrl], { timeoutMs: 2_000 })
    faultyNode.next('eth_sendRawTransaction', fault)
    const before = shop.stored.length
    equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled', String(fault))
    equal(shop.stored.length, before + 1)
  }
  equal(await shop.balance(shop.payTo), 4n * price)
})

test('a broadcast that never arrived is repeated with the same bytes', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  for (const fault of ['drop', 'garbage', 'busy', 'bad-gateway'] as const) {
    const facilitator = shop.facilitatorAt([faultyNode.rpcUrl], { settleTimeoutMs: 10_000 })
    faultyNode.next('eth_sendRawTransaction', fault)
    const before = shop.stored.length
    equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled', fault)
    equal(shop.stored.length, before + 1)
  }
})

test('a payment without a visible receipt is uncertain, and reconciled when a node shows it', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = shop.facilitatorAt([faultyNode.rpcUrl], { settleTimeoutMs: 400, timeoutMs: 1_000 })
  const ada = await shop.fundedWallet()
  for (const fault of ['silent', (reply: object) => ({ ...reply, result: null })] as const) {
    const proof = await shop.proofOf(ada)
    const seenAtBlock = await newestBlock(shop)
    faultyNode.always('eth_getTransactionReceipt', fault)
    const uncertain = await facilitator.settle(proof, { seenAtBlock, store: shop.store })
    const transaction = shop.stored.at(-1)!.hash
    equal(uncertain.kind, 'uncertain')
    equal(uncertain.kind === 'uncertain' && uncertain.transaction, transaction)
    const written = { ...shop.written(proof, seenAtBlock), transactions: [shop.stored.at(-1)!] }
    faultyNode.heal()
    await shop.clock.advance(61_000)
    const { spentWei, ...settled } = (await facilitator.reconcile(written, shop.store)) as { spentWei?: bigint }
    deepEqual(settled, { kind: 'settled', transaction, payer: ada.address })
    ok(spentWei! > 0n)
    // The same without our transaction: the log of the authorization is enough.
    deepEqual((await facilitator.reconcile({ ...written, transactions: [] }, shop.store)).kind, 'settled')
  }
  equal(await shop.balance(shop.payTo), 2n * price)
})

test('while no blocks are mined the payment is uncertain; the same bytes settle it later', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { settleTimeoutMs: 300 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.call('evm_setAutomine', false)
  const settlement = await facilitator.settle(proof, { seenAtBlock, store: shop.store })
  equal(settlement.kind, 'uncertain')
  equal((await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind, 'uncertain')
  // The node drops pending transactions, like one that restarts.
  await shop.chain.call('anvil_dropAllTransactions')
  await shop.chain.call('evm_setAutomine', true)
  equal(
    (await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind,
    'uncertain',
    'broadcast again',
  )
  await until(
    'it is settled',
    async () => (await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind === 'settled',
  )
  equal(shop.stored.length, 1)
})

test('a lost transaction does not hold up later ones', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { settleTimeoutMs: 300 })
  const [first, second] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  await shop.chain.call('evm_setAutomine', false)
  equal((await shop.take(first, facilitator)).kind, 'uncertain')
  await shop.chain.call('anvil_dropAllTransactions')
  await shop.chain.call('evm_setAutomine', true)
  equal((await shop.take(second, facilitator)).kind, 'settled')
  equal(await shop.balance(shop.payTo), 2n * price)
  equal((await facilitator.reconcile(shop.written(first, 1n), shop.store)).kind, 'settled')
})

test('an authorization that expires unused is refused for good, not before', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = shop.facilitatorAt([faultyNode.rpcUrl], { settleTimeoutMs: 200 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await facilitator.settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
  await shop.clock.advance(310_000)
  equal(
    (await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind,
    'uncertain',
    'a block may be taken back',
  )
  await shop.clock.advance(60_000)
  const refused = { kind: 'refused', reason: 'invalid_exact_evm_payload_authorization_valid_before', isFinal: true }
  deepEqual(await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store), refused)
})

test('a transaction that a killed process stored is broadcast by the next process', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const dying = shop.facilitatorAt([faultyNode.rpcUrl], { settleTimeoutMs: 100 })
  const [first, second] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  faultyNode.always('eth_sendRawTransaction', 'drop')
  equal((await shop.take(first, dying)).kind, 'uncertain')
  equal((await shop.take(second)).kind, 'settled')
  equal(await shop.balance(shop.payTo), 2n * price)
  equal(await transactionsOf(shop), 2)
})

test('without ETH for gas nothing is refused; it waits', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { settleTimeoutMs: 3_000 })
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled')
  const { signer } = shop.stored[0]!
  await facilitator.check()
  await shop.chain.call('anvil_setBalance', signer, '0x1')
  await rejects(facilitator.check(), /no ETH left to pay for gas/)
  const [proof, other] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  const seenAtBlock = await newestBlock(shop)
  equal((await facilitator.verify(other)).kind, 'unavailable')
  equal((await facilitator.settle(other, { seenAtBlock, store: shop.store })).kind, 'uncertain')
  equal(shop.stored.length, 1, 'nothing was signed')
  // The account ran dry after the payment was simulated.
  equal((await facilitator.settle(proof, { seenAtBlock, store: shop.store, gas: 195_000n })).kind, 'uncertain')
  await shop.chain.call('anvil_setBalance', signer, '0xde0b6b3a7640000')
  const written = { ...shop.written(proof, seenAtBlock), transactions: shop.stored.slice(1) }
  equal((await facilitator.reconcile(written, shop.store)).kind, 'uncertain', 'broadcast again')
  await until('it is settled', async () => (await facilitator.reconcile(written, shop.store)).kind === 'settled')
  equal(shop.stored.length, 2)
  equal((await facilitator.settle(other, { seenAtBlock, store: shop.store })).kind, 'settled')
})

test('a false receipt from a node is not believed', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = () => shop.facilitatorAt([faultyNode.rpcUrl], { settleTimeoutMs: 200 })
  const ada = await shop.fundedWallet()
  const other = await shop.take(await shop.proofOf(ada))
  equal(other.kind, 'settled')
  const real = await shop.chain.call('eth_getTransactionReceipt', shop.stored[0]!.hash)
  const proof = await shop.proofOf(ada)
  const seenAtBlock = await newestBlock(shop)
  faultyNode.always('eth_sendRawTransaction', 'drop')
  for (const lie of [
    (reply: object) => ({ ...reply, result: real }),
    (reply: object) => ({ ...reply, result: { ...(real as object), transactionHash: shop.stored.at(-1)!.hash } }),
    (reply: object) => ({ ...reply, result: { status: '0x1' } }),
    (reply: object) => ({ ...reply, result: true }),
  ]) {
    faultyNode.always('eth_getTransactionReceipt', lie)
    equal((await facilitator().settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
    notEqual((await facilitator().reconcile(shop.written(proof, seenAtBlock), shop.store)).kind, 'settled')
  }
  equal(await shop.balance(shop.payTo), price)
})

test('if a provider limits the block range, smaller ranges are requested', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.call('anvil_mine', '0x14')
  const transaction = await strangerUses(shop, proof)
  const refusal = () => ({ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'up to a 10 block range' } })
  faultyNode.next('eth_getLogs', refusal, refusal)
  const written = { ...shop.written(proof, seenAtBlock), transactions: [] }
  const settlement = await shop.facilitatorAt([faultyNode.rpcUrl]).reconcile(written, shop.store)
  equal(settlement.kind === 'settled' && settlement.transaction, transaction)
})
