import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFunctionData } from 'viem/utils'
import { faucet, sendFromNewAccount } from '../../../development/base-chain/chain-contents.ts'
import { hasAnvil, minedReceipt } from '../../../test/base-chain.ts'
import { createBaseWallet, smartWalletsOn } from '../../../test/base-wallet.ts'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import type { Store } from '../../settlement.ts'
import { readAuthorization } from '../base-rail.ts'
import type { PaymentProof } from './facilitator.ts'
import {
  cancellingCall,
  newestBlock,
  openShop,
  price,
  signTransfer,
  strangerUses,
  tokenAbi,
  usdcToken,
  usingCall,
} from './payments.fixture.ts'

const skip = !hasAnvil

test('twenty parallel payments through one account all arrive', { skip }, async (t) => {
  const shop = await openShop(t)
  const readers = await Promise.all(Array.from({ length: 20 }, () => shop.fundedWallet()))
  const proofs = await Promise.all(readers.map((reader) => shop.proofOf(reader)))
  // This store accepts everything, so only the queue prevents duplicate nonces.
  const stored: number[] = []
  const store: Store = async ({ nonce }) => {
    stored.push(nonce)
    return 'stored'
  }
  const seenAtBlock = await newestBlock(shop)
  const settlements = await Promise.all(proofs.map((proof) => shop.facilitator.settle(proof, { seenAtBlock, store })))
  deepEqual(new Set(settlements.map(({ kind }) => kind)), new Set(['settled']))
  equal(await shop.balance(shop.payTo), 20n * price)
  deepEqual(
    stored,
    Array.from({ length: 20 }, (_, index) => index),
  )
})

test('payers without money at settlement leave no nonce gap for the others', { skip }, async (t) => {
  const shop = await openShop(t)
  const readers = await Promise.all(Array.from({ length: 12 }, () => shop.fundedWallet(price)))
  const proofs = await Promise.all(readers.map((reader) => shop.proofOf(reader)))
  const verdicts = await Promise.all(proofs.map((proof) => shop.facilitator.verify(proof)))
  ok(verdicts.every(({ kind }) => kind === 'valid'))
  for (const [index, reader] of readers.entries()) {
    if (index % 3 !== 1) continue
    await shop.chain.call('anvil_setBalance', reader.address, '0xde0b6b3a7640000')
    await shop.chain.call('anvil_impersonateAccount', reader.address)
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [faucet.address, price] })
    await shop.chain.call('eth_sendTransaction', { from: reader.address, to: usdcToken.address, data })
  }
  const settlements = await Promise.all(
    proofs.map((proof) => shop.facilitator.settle(proof, { seenAtBlock: 1n, store: shop.store })),
  )
  for (const [index, settlement] of settlements.entries()) {
    if (index % 3 !== 1) equal(settlement.kind, 'settled', String(index))
    // The authorization is still valid, in case they get money again.
    else deepEqual(settlement, { kind: 'refused', reason: 'invalid_exact_evm_insufficient_balance', isFinal: false })
  }
  equal(shop.stored.length, 8)
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()))).kind, 'settled')
})

test('one proof presented twelve times in parallel is one transaction', { skip }, async (t) => {
  const shop = await openShop(t)
  const ada = await shop.fundedWallet()
  const proof = await shop.proofOf(ada)
  const settlements = await Promise.all(Array.from({ length: 12 }, () => shop.take(structuredClone(proof))))
  for (const settlement of settlements) deepEqual(settlement, settlements[0])
  equal(settlements[0]!.kind, 'settled')
  equal(shop.stored.length, 1)
  equal(await shop.balance(shop.payTo), price)
})

/** The code of a wallet that accepts any signature after counting down from this number, at 26 gas per step. */
const costlyWalletCode = (count: number) =>
  `0x62${count.toString(16).padStart(6, '0')}5b6001900380600457631626ba7e60e01b60005260206000f3`

test('a wallet whose signature costs us more than a payment may cost is refused, and nothing is signed', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  for (const [count, isTaken] of [
    [10_000, true],
    [150_000, false],
  ] as const) {
    const wallet = await shop.fundedWallet()
    await shop.chain.call('anvil_setCode', wallet.address, costlyWalletCode(count))
    const proof = await shop.proofOf(wallet)
    const stored = shop.stored.length
    equal((await shop.facilitator.verify(proof)).kind, isTaken ? 'valid' : 'invalid')
    // Also if it was cheap when it was verified.
    const settlement = await shop.facilitator.settle(proof, { seenAtBlock: await newestBlock(shop), store: shop.store })
    equal(settlement.kind, isTaken ? 'settled' : 'refused')
    equal(shop.stored.length - stored, isTaken ? 1 : 0)
  }
})

test('a transaction is stored before any node sees it; if storing fails, no node does', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = shop.facilitatorAt([faultyNode.rpcUrl])
  const proof = await shop.proofOf(await shop.fundedWallet())
  const failing: Store = async () => {
    throw new Error('the database is away')
  }
  const failed = await facilitator.settle(proof, { seenAtBlock: await newestBlock(shop), store: failing })
  deepEqual(failed, { kind: 'uncertain', transaction: undefined, cause: 'the database is away' })
  ok(!faultyNode.requests.includes('eth_sendRawTransaction'))

  let requestsBefore: readonly string[] = []
  const store: Store = async (transaction) => {
    requestsBefore = [...faultyNode.requests]
    return shop.store(transaction)
  }
  equal((await facilitator.settle(proof, { seenAtBlock: await newestBlock(shop), store })).kind, 'settled')
  ok(!requestsBefore.includes('eth_sendRawTransaction'))
  equal(shop.stored[0]!.nonce, 0)
})

test('a transaction that is mined and reverts is refused after checking the chain', { skip }, async (t) => {
  const shop = await openShop(t)
  const facilitator = shop.facilitatorAt([shop.chain.rpcUrl], { settleTimeoutMs: 300 })
  const [late, taken] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  const seenAtBlock = await newestBlock(shop)
  await shop.chain.call('evm_setAutomine', false)
  for (const proof of [late, taken]) equal((await shop.take(proof, facilitator)).kind, 'uncertain')
  // A stranger outbids the second: ours reverts, the money arrives.
  const stranger = await shop.chain.call('eth_sendTransaction', {
    from: faucet.address,
    to: usdcToken.address,
    data: usingCall(taken),
    gas: '0x493e0',
    maxFeePerGas: '0x174876e800',
    maxPriorityFeePerGas: '0x174876e800',
  })
  await shop.chain.call('evm_mine')
  const written = { ...shop.written(taken, seenAtBlock), transactions: [shop.stored[1]!] }
  const settled = await facilitator.reconcile(written, shop.store)
  const { spentWei } = settled as { spentWei?: bigint }
  ok(spentWei! > 0n, 'ours was mined too')
  deepEqual(settled, { kind: 'settled', transaction: stranger, payer: written.payer, spentWei })
  const first = { ...shop.written(late, seenAtBlock), transactions: [shop.stored[0]!] }
  equal((await facilitator.reconcile(first, shop.store)).kind, 'settled')
})

test('a payment counts, no matter who presents the authorization, if we saw it unused before', { skip }, async (t) => {
  const shop = await openShop(t)
  const ada = await shop.fundedWallet()
  const proof = await shop.proofOf(ada)
  const verdict = await shop.facilitator.verify(proof)
  equal(verdict.kind, 'valid')
  const transaction = await strangerUses(shop, proof)
  const seenAtBlock = verdict.kind === 'valid' ? verdict.seenAtBlock : undefined
  deepEqual(await shop.facilitator.settle(proof, { seenAtBlock, store: shop.store }), {
    kind: 'settled',
    transaction,
    payer: ada.address,
  })
  equal(shop.stored.length, 0)

  // An authorization that was used before we saw it is public: anyone could present it.
  deepEqual(await shop.facilitator.verify(proof), { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' })
  await shop.chain.call('evm_mine')
  const credited = await shop.facilitator.reconcile(shop.written(proof, await newestBlock(shop)), shop.store)
  equal(credited.kind, 'uncertain')
})

test('an authorization that the payer cancels is refused for good', { skip }, async (t) => {
  const shop = await openShop(t)
  const ada = await shop.fundedWallet()
  const proof = await shop.proofOf(ada)
  const seenAtBlock = await newestBlock(shop)
  const { nonce } = readAuthorization(proof.payload.payload)!
  const data = await cancellingCall(ada, nonce)
  equal((await sendFromNewAccount(shop.chain.call, { to: usdcToken.address, data })).status, '0x1')
  deepEqual(await shop.facilitator.settle(proof, { seenAtBlock, store: shop.store }), {
    kind: 'refused',
    reason: 'invalid_exact_evm_nonce_already_used',
    isFinal: true,
  })
})

test("one payment's transfer is not taken for another's in the same transaction", { skip }, async (t) => {
  const shop = await openShop(t)
  const wallets = await smartWalletsOn(shop.chain)
  const owner = createBaseWallet()
  const wallet = await wallets.create({ isDeployed: true, owner })
  await shop.chain.mint(wallet.address, 10n * price)
  const paid = await shop.proofOf(wallet)
  const unpaid = await shop.proofOf(wallet)
  const seenAtBlock = await newestBlock(shop)
  // The same nonce, signed again, to the payer's own address.
  const { nonce, validAfter, validBefore } = readAuthorization(unpaid.payload.payload)!
  const back = { from: wallet.address, to: owner.address, value: price, validAfter, validBefore, nonce }
  const signature = await signTransfer(wallet, back)
  const args = [back.from, back.to, back.value, validAfter, validBefore, nonce, signature] as const
  const toOwnPocket = encodeFunctionData({ abi: tokenAbi, functionName: 'transferWithAuthorization', args })
  const calls = [usingCall(paid), toOwnPocket]
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'perform',
    args: [[usdcToken.address, usdcToken.address], calls],
  })
  await shop.chain.call('anvil_setBalance', owner.address, '0xde0b6b3a7640000')
  await shop.chain.call('anvil_impersonateAccount', owner.address)
  const hash = await shop.chain.call('eth_sendTransaction', {
    from: owner.address,
    to: wallet.address,
    data,
    gas: '0x7a120',
  })
  equal((await minedReceipt(shop.chain.call, hash)).status, '0x1')
  const settlement = (proof: PaymentProof) => shop.facilitator.settle(proof, { seenAtBlock, store: shop.store })
  deepEqual(await settlement(paid), { kind: 'settled', transaction: hash, payer: wallet.address })
  deepEqual(await settlement(unpaid), {
    kind: 'refused',
    reason: 'invalid_exact_evm_nonce_already_used',
    isFinal: true,
  })
  equal(await shop.balance(shop.payTo), price)
})

test('two processes that share the account and the database never use the same nonce', { skip }, async (t) => {
  const shop = await openShop(t)
  const processes = [shop.facilitatorAt([shop.chain.rpcUrl]), shop.facilitatorAt([shop.chain.rpcUrl])]
  const readers = await Promise.all(Array.from({ length: 10 }, () => shop.fundedWallet()))
  const proofs = await Promise.all(readers.map((reader) => shop.proofOf(reader)))
  const settlements = await Promise.all(proofs.map((proof, index) => shop.take(proof, processes[index % 2])))
  deepEqual(new Set(settlements.map(({ kind }) => kind)), new Set(['settled']))
  equal(shop.stored.length, 10)
})

test('if the key is also used elsewhere, it costs a retry, never a payment', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = shop.facilitatorAt([faultyNode.rpcUrl])
  equal((await shop.take(await shop.proofOf(await shop.fundedWallet()), facilitator)).kind, 'settled')
  const { signer } = shop.stored[0]!
  const proof = await shop.proofOf(await shop.fundedWallet())
  // Their transaction comes between our count and our broadcast.
  const store: Store = async (transaction) => {
    if (transaction.nonce === 1) {
      await shop.chain.call('anvil_impersonateAccount', signer)
      await shop.chain.call('eth_sendTransaction', { from: signer, to: faucet.address, value: '0x1' })
    }
    return shop.store(transaction)
  }
  const settlement = await facilitator.settle(proof, { seenAtBlock: await newestBlock(shop), store })
  equal(settlement.kind, 'settled')
  deepEqual(
    shop.stored.map(({ nonce }) => nonce),
    [0, 1, 2],
  )
  equal(await shop.balance(shop.payTo), 2n * price)
})
