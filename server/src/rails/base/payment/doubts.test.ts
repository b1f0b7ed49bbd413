import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { hasAnvil } from '../../../test/base-chain.ts'
import { createNodeDouble } from '../../../test/node-double.ts'
import { newestBlock, openShop, price, type Shop, strangerUses } from './payments.fixture.ts'

const skip = !hasAnvil

const transactionsOf = async (shop: Shop) =>
  Number(await shop.chain.ask('eth_getTransactionCount', shop.stored[0]!.signer, 'latest'))

test('an answer that is lost after the broadcast fails nothing', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  for (const fault of [
    'silent-after',
    'drop-after',
    'twice',
    (answer: object) => ({ ...answer, result: '0x12' }),
  ] as const) {
    const facilitator = shop.facilitatorAt([double.rpcUrl], { timeoutMs: 300 })
    double.next('eth_sendRawTransaction', fault)
    const before = shop.stored.length
    equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled', String(fault))
    equal(shop.stored.length, before + 1)
  }
  equal(await shop.balance(shop.payTo), 4n * price)
})

test('a broadcast that never arrived is made again, with the same bytes', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  for (const fault of ['drop', 'garbage', 'busy', 'bad-gateway'] as const) {
    const facilitator = shop.facilitatorAt([double.rpcUrl], { timeoutMs: 300, patienceMs: 10_000 })
    double.next('eth_sendRawTransaction', fault)
    const before = shop.stored.length
    equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled', fault)
    equal(shop.stored.length, before + 1)
  }
})

test('one whose receipt nobody shows is uncertain, and reconciled when somebody does', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  const facilitator = shop.facilitatorAt([double.rpcUrl], { patienceMs: 400, timeoutMs: 200 })
  const ada = await shop.fundedWallet()
  for (const fault of ['silent', (answer: object) => ({ ...answer, result: null })] as const) {
    const proof = await shop.proofOf(ada)
    const seenAtBlock = await newestBlock(shop)
    double.always('eth_getTransactionReceipt', fault)
    const uncertain = await facilitator.settle(proof, { seenAtBlock, store: shop.store })
    const transaction = shop.stored.at(-1)!.hash
    equal(uncertain.kind, 'uncertain')
    equal(uncertain.kind === 'uncertain' && uncertain.transaction, transaction)
    const written = { ...shop.written(proof, seenAtBlock), transactions: [shop.stored.at(-1)!] }
    double.heal()
    await shop.clock.advance(61_000)
    deepEqual(await facilitator.reconcile(written, shop.store), { kind: 'settled', transaction, payer: ada.address })
    // The same without our own transaction: the authorization's trace is enough.
    deepEqual((await facilitator.reconcile({ ...written, transactions: [] }, shop.store)).kind, 'settled')
  }
  equal(await shop.balance(shop.payTo), 2n * price)
})

test('while blocks do not come it is uncertain; the same bytes settle it when they do', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { patienceMs: 300 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.ask('evm_setAutomine', false)
  const settlement = await facilitator.settle(proof, { seenAtBlock, store: shop.store })
  equal(settlement.kind, 'uncertain')
  equal((await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind, 'uncertain')
  // The node forgets what waits, as one that restarts.
  await shop.chain.ask('anvil_dropAllTransactions')
  await shop.chain.ask('evm_setAutomine', true)
  equal(
    (await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind,
    'uncertain',
    'handed over again',
  )
  equal((await facilitator.reconcile(shop.written(proof, seenAtBlock), shop.store)).kind, 'settled')
  equal(shop.stored.length, 1)
})

test('one that is lost does not hold up those behind it', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { patienceMs: 300 })
  const [first, second] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  await shop.chain.ask('evm_setAutomine', false)
  equal((await shop.take(first, facilitator)).kind, 'uncertain')
  await shop.chain.ask('anvil_dropAllTransactions')
  await shop.chain.ask('evm_setAutomine', true)
  equal((await shop.take(second, facilitator)).kind, 'settled')
  equal(await shop.balance(shop.payTo), 2n * price)
  equal((await facilitator.reconcile(shop.written(first, 1n), shop.store)).kind, 'settled')
})

test('an authorization that runs out unused is refused for good, not before', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  const facilitator = shop.facilitatorAt([double.rpcUrl], { patienceMs: 200 })
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  double.always('eth_sendRawTransaction', 'drop')
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

test('what a process stored and took to its grave is handed over by the next', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  const dying = shop.facilitatorAt([double.rpcUrl], { patienceMs: 100 })
  const [first, second] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  double.always('eth_sendRawTransaction', 'drop')
  equal((await shop.take(first, dying)).kind, 'uncertain')
  equal((await shop.take(second)).kind, 'settled')
  equal(await shop.balance(shop.payTo), 2n * price)
  equal(await transactionsOf(shop), 2)
})

test('without coins for gas nothing is refused: it waits until there are some', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { patienceMs: 300 })
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled')
  const { signer } = shop.stored[0]!
  await facilitator.check()
  await shop.chain.ask('anvil_setBalance', signer, '0x1')
  await rejects(facilitator.check(), /nothing left to pay for gas/)
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  equal((await facilitator.settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
  await shop.chain.ask('anvil_setBalance', signer, '0xde0b6b3a7640000')
  const written = { ...shop.written(proof, seenAtBlock), transactions: shop.stored.slice(1) }
  equal((await facilitator.reconcile(written, shop.store)).kind, 'uncertain', 'handed over again')
  equal((await facilitator.reconcile(written, shop.store)).kind, 'settled')
  equal(shop.stored.length, 2)
})

test('a node that lies about a receipt is not believed', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  const facilitator = () => shop.facilitatorAt([double.rpcUrl], { patienceMs: 200 })
  const ada = await shop.fundedWallet()
  const other = await shop.take(await shop.proofOf(ada))
  equal(other.kind, 'settled')
  const real = await shop.chain.ask('eth_getTransactionReceipt', shop.stored[0]!.hash)
  const proof = await shop.proofOf(ada)
  const seenAtBlock = await newestBlock(shop)
  double.always('eth_sendRawTransaction', 'drop')
  for (const lie of [
    (answer: object) => ({ ...answer, result: real }),
    (answer: object) => ({ ...answer, result: { ...(real as object), transactionHash: shop.stored.at(-1)!.hash } }),
    (answer: object) => ({ ...answer, result: { status: '0x1' } }),
    (answer: object) => ({ ...answer, result: true }),
  ]) {
    double.always('eth_getTransactionReceipt', lie)
    equal((await facilitator().settle(proof, { seenAtBlock, store: shop.store })).kind, 'uncertain')
    notEqual((await facilitator().reconcile(shop.written(proof, seenAtBlock), shop.store)).kind, 'settled')
  }
  equal(await shop.balance(shop.payTo), price)
})

test('a provider that shows few blocks at a time is asked for fewer', { skip }, async (t) => {
  const shop = await openShop(t)
  const double = await createNodeDouble(t, shop.chain)
  const proof = await shop.proofOf(await shop.fundedWallet())
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.ask('anvil_mine', '0x14')
  const transaction = await strangerUses(shop, proof)
  const refusal = () => ({ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'up to a 10 block range' } })
  double.next('eth_getLogs', refusal, refusal)
  const written = { ...shop.written(proof, seenAtBlock), transactions: [] }
  const settlement = await shop.facilitatorAt([double.rpcUrl]).reconcile(written, shop.store)
  equal(settlement.kind === 'settled' && settlement.transaction, transaction)
})
