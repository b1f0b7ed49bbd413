import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { faucet } from '../../../development/base-chain/chain-contents.ts'
import { createLog } from '../../../platform/log.ts'
import { hasAnvil } from '../../../test/base-chain.ts'
import { createBaseWallet } from '../../../test/base-wallet.ts'
import { baseChainId } from '../base-chain-id.ts'
import { createChainClient } from '../rpc/chain-client.ts'
import { createRpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { Facilitator } from './facilitator.ts'
import { openShop, price, type Shop, strangerUses, usdcToken } from './payments.fixture.ts'
import { createRemoteFacilitator } from './remote-facilitator.ts'

const skip = !hasAnvil

/** What happens to the next settlement: its reply is lost, before or after it took place, or replaced. */
type Fault =
  | ('none' | 'drop' | 'drop-after' | 'silent-after' | 'bad-gateway')
  | ((reply: object) => object)
  | { readonly instead: object }

/** A remote facilitator: the x402 library's own, on the same chain. */
async function facilitatorElsewhere(t: TestContext, shop: Shop) {
  const account = privateKeyToAccount(faucet.privateKey)
  const client = createWalletClient({ account, chain: base, transport: http(shop.chain.rpcUrl) }).extend(publicActions)
  // biome-ignore lint/suspicious/noExplicitAny: the library's types are wider than viem's
  const scheme = new ExactEvmScheme(toFacilitatorEvmSigner({ ...(client as any), address: account.address }))
  let fault: Fault = 'none'
  let settled = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString())
    const reply = (body: object) => response.writeHead(200).end(JSON.stringify(body))
    if (request.url === '/x402/verify') return reply(await scheme.verify(paymentPayload, paymentRequirements))
    if (fault === 'drop') return request.socket.destroy()
    if (fault === 'bad-gateway') return response.writeHead(502).end('bad gateway')
    if (typeof fault === 'object') return reply(fault.instead)
    settled += 1
    const settlement = await scheme.settle(paymentPayload, paymentRequirements)
    if (fault === 'drop-after') return request.socket.destroy()
    if (fault === 'silent-after') return
    return reply(typeof fault === 'function' ? fault(settlement) : settlement)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { clock } = shop
  const log = createLog('silent')
  const endpoint = createRpcEndpoint({ url: shop.chain.rpcUrl, chainId: baseChainId, clock, log, timeoutMs: 1_000 })
  const chain = createChainClient([endpoint], 'pending')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402/`
  const parts = { url, token: usdcToken, clock, log, timeoutMs: 4_000, settleTimeoutMs: 300 }
  return {
    trusting: () => createRemoteFacilitator({ ...parts, chain: undefined }),
    checking: () => createRemoteFacilitator({ ...parts, chain }),
    timesAsked: () => settled,
    meets: (next: Fault) => {
      fault = next
    },
  }
}

/** Settles without calling `verify` first. */
async function settle(shop: Shop, by: Facilitator, proof: Awaited<ReturnType<Shop['proofOf']>>) {
  const seenAtBlock = BigInt(String(await shop.chain.call('eth_blockNumber')))
  const settlement = await by.settle(proof, { seenAtBlock, store: shop.store })
  return { settlement, written: shop.written(proof, seenAtBlock) }
}

test('a remote facilitator settles, with or without a chain to check', { skip }, async (t) => {
  const shop = await openShop(t)
  const { trusting, checking } = await facilitatorElsewhere(t, shop)
  for (const facilitator of [trusting(), checking()]) {
    const ada = await shop.fundedWallet()
    const settlement = await shop.take(await shop.proofOf(ada), facilitator)
    equal(settlement.kind, 'settled')
    equal(settlement.kind === 'settled' && settlement.payer, ada.address)
  }
  equal(await shop.balance(shop.payTo), 2n * price)
  equal(shop.stored.length, 0, 'nothing is signed here')
})

test('one proof presented twelve times in parallel is settled once', { skip }, async (t) => {
  const shop = await openShop(t)
  const { checking, timesAsked } = await facilitatorElsewhere(t, shop)
  const facilitator = checking()
  const proof = await shop.proofOf(await shop.fundedWallet())
  const settlements = await Promise.all(
    Array.from({ length: 12 }, () => settle(shop, facilitator, structuredClone(proof))),
  )
  for (const { settlement } of settlements) equal(settlement.kind, 'settled')
  equal(timesAsked(), 1)
})

test('what can be checked here is not sent to the facilitator, and its refusal counts', { skip }, async (t) => {
  const shop = await openShop(t)
  const { trusting, meets } = await facilitatorElsewhere(t, shop)
  meets('drop')
  const proof = await shop.proofOf(await shop.fundedWallet())
  const cheaper = { ...proof, requirements: shop.requirements(1n) }
  equal((await trusting().verify(cheaper)).kind, 'invalid')
  equal((await trusting().settle(cheaper, { seenAtBlock: undefined, store: shop.store })).kind, 'refused')
  const poor = await shop.proofOf(createBaseWallet())
  deepEqual(await trusting().verify(poor), { kind: 'invalid', reason: 'invalid_exact_evm_insufficient_balance' })
})

test('a lost reply is uncertain, and the chain decides', { skip }, async (t) => {
  const shop = await openShop(t)
  const { trusting, checking, meets } = await facilitatorElsewhere(t, shop)
  for (const fault of ['drop', 'drop-after', 'silent-after', 'bad-gateway'] as const) {
    const proof = await shop.proofOf(await shop.fundedWallet())
    meets(fault)
    const facilitator = checking()
    const { settlement, written } = await settle(shop, facilitator, proof)
    const isPaid = fault.endsWith('after')
    equal(settlement.kind, isPaid ? 'settled' : 'uncertain', fault)
    equal((await facilitator.reconcile(written, shop.store)).kind, isPaid ? 'settled' : 'uncertain', fault)
    // The second time it says that the authorization is used. Only a chain shows by which transaction.
    meets('none')
    equal((await settle(shop, trusting(), proof)).settlement.kind, isPaid ? 'uncertain' : 'settled', fault)
  }
  equal(await shop.balance(shop.payTo), 4n * price)
})

test('after the authorization expired, the chain decides, and without a chain it stays uncertain', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const { trusting, checking, meets } = await facilitatorElsewhere(t, shop)
  const [paid, unpaid] = [await shop.proofOf(await shop.fundedWallet()), await shop.proofOf(await shop.fundedWallet())]
  const seenAtBlock = BigInt(String(await shop.chain.call('eth_blockNumber')))
  const tries = (by: Facilitator, proof: typeof paid) => by.settle(proof, { seenAtBlock, store: shop.store })
  meets('drop-after')
  equal((await tries(trusting(), paid)).kind, 'uncertain')
  meets('drop')
  equal((await tries(checking(), unpaid)).kind, 'uncertain')
  await shop.clock.advance(298_000)
  await shop.chain.call('evm_mine')
  for (const by of [checking(), shop.facilitator]) {
    equal((await tries(by, paid)).kind, 'settled')
    equal((await tries(by, unpaid)).kind, 'uncertain', 'a block might still come')
  }
  for (const proof of [paid, unpaid]) equal((await tries(trusting(), proof)).kind, 'uncertain')
  await shop.clock.advance(70_000)
  await shop.chain.call('evm_mine')
  const over = { kind: 'refused', reason: 'invalid_exact_evm_payload_authorization_valid_before', isFinal: true }
  for (const by of [checking(), shop.facilitator]) deepEqual(await tries(by, unpaid), over)
})

test('a facilitator that reports settled is believed when the chain agrees', { skip }, async (t) => {
  const shop = await openShop(t)
  const { checking, trusting, meets } = await facilitatorElsewhere(t, shop)
  const another = await shop.take(await shop.proofOf(await shop.fundedWallet()))
  equal(another.kind, 'settled')
  const anothers = another.kind === 'settled' ? another.transaction : ''
  const transaction = `0x${'ab'.repeat(32)}`
  for (const lie of [
    () => ({ success: true, network: 'eip155:8453', transaction }),
    () => ({ success: true, network: 'eip155:8453', transaction: anothers }),
  ]) {
    const proof = await shop.proofOf(createBaseWallet())
    meets(lie)
    equal((await settle(shop, checking(), proof)).settlement.kind === 'settled', false)
  }
  for (const nonsense of [
    () => ({ success: true, network: 'eip155:84532', transaction }),
    () => ({ success: true, network: 'eip155:8453', transaction: '' }),
    () => ({ success: 'yes' }),
    () => ({}),
  ]) {
    const proof = await shop.proofOf(createBaseWallet())
    meets(nonsense)
    for (const facilitator of [checking(), trusting()])
      equal((await settle(shop, facilitator, proof)).settlement.kind, 'uncertain')
  }
})

test('nothing the facilitator says ends a payment before the chain does, since it may still use the authorization', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const { checking, trusting, meets, timesAsked } = await facilitatorElsewhere(t, shop)
  const words = ['insufficient_funds', 'invalid_exact_evm_insufficient_balance', 'invalid_payload', 'eip6492_x', 'odd']
  for (const errorReason of words) {
    const proof = await shop.proofOf(await shop.fundedWallet())
    meets({ instead: { success: false, errorReason, transaction: '', network: 'eip155:8453' } })
    for (const facilitator of [checking(), trusting()]) {
      const { settlement } = await settle(shop, facilitator, proof)
      deepEqual(settlement, { kind: 'uncertain', transaction: undefined, cause: errorReason })
    }
    await strangerUses(shop, proof)
    equal((await settle(shop, checking(), proof)).settlement.kind, 'uncertain', 'it was used before this block')
  }
  equal(timesAsked(), 0)
})

test('a facilitator that reports failed although the money arrived is corrected by the chain', { skip }, async (t) => {
  const shop = await openShop(t)
  const { checking, trusting, meets } = await facilitatorElsewhere(t, shop)
  for (const errorReason of ['unexpected_settle_error', 'invalid_exact_evm_transaction_failed', 'settlement_pending']) {
    meets((reply) => ({ ...reply, success: false, errorReason }))
    const proof = await shop.proofOf(await shop.fundedWallet())
    const facilitator = checking()
    const { settlement, written } = await settle(shop, facilitator, proof)
    equal(settlement.kind === 'refused', false, errorReason)
    equal((await facilitator.reconcile(written, shop.store)).kind, 'settled', errorReason)
    const unseen = await settle(shop, trusting(), await shop.proofOf(await shop.fundedWallet()))
    equal(unseen.settlement.kind, 'uncertain', errorReason)
  }
})

test('a facilitator that repeats an earlier settlement sells nothing twice, because we check ourselves', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const proof = await shop.proofOf(await shop.fundedWallet())
  const before = await shop.take(proof)
  equal(before.kind, 'settled')
  const transaction = before.kind === 'settled' ? before.transaction : ''
  const server = createServer((request, response) => {
    const yes = { isValid: true, success: true, network: 'eip155:8453', transaction }
    request.resume().on('end', () => response.end(JSON.stringify(yes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = createLog('silent')
  const parts = { url, token: usdcToken, clock: shop.clock, log }
  const endpoint = createRpcEndpoint({ ...parts, url: shop.chain.rpcUrl, chainId: baseChainId, timeoutMs: 1_000 })
  const checking = createRemoteFacilitator({ ...parts, chain: createChainClient([endpoint], 'pending') })
  deepEqual(await checking.verify(proof), { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' })
})
