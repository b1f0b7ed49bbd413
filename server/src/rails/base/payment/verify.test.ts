import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { faucet } from '../../../development/base-chain/chain-contents.ts'
import { hasAnvil } from '../../../test/base-chain.ts'
import { createBaseWallet, payWith, smartWalletsOn } from '../../../test/base-wallet.ts'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import type { PaymentProof } from './facilitator.ts'
import { openShop, price, type Shop, signTransfer, usdcToken } from './payments.fixture.ts'

const skip = !hasAnvil

/** The x402 library's own facilitator, for a second opinion. */
function libraryOn(shop: Shop, eip6492AllowedFactories: string[] = []) {
  const account = privateKeyToAccount(faucet.privateKey)
  const client = createWalletClient({ account, chain: base, transport: http(shop.chain.rpcUrl) }).extend(publicActions)
  // biome-ignore lint/suspicious/noExplicitAny: the library's types are wider than viem's
  const signer = toFacilitatorEvmSigner({ ...(client as any), address: account.address })
  const scheme = new ExactEvmScheme(signer, { eip6492AllowedFactories })
  return ({ payload, requirements }: PaymentProof) => scheme.verify(payload, requirements)
}

/** A proof whose terms were changed before or after signing. */
const altered = (proof: PaymentProof, change: (authorization: Record<string, string>) => void): PaymentProof => {
  const copy = structuredClone(proof)
  change(copy.payload.payload.authorization as Record<string, string>)
  return copy
}

test('a payment is judged as the x402 library judges it', { skip }, async (t) => {
  const shop = await openShop(t)
  const library = libraryOn(shop)
  const ada = await shop.fundedWallet()
  const good = await shop.proofOf(ada)
  const poor = await shop.proofOf(createBaseWallet())
  const used = await shop.proofOf(ada)
  equal((await shop.take(used)).kind, 'settled')
  const asked = (change: object) => ({ ...shop.requirements(), ...change })
  // The requirements are ours, but different terms were signed.
  const signedFor = async (change: object) => ({
    payload: { ...(await payWith(ada, asked(change))), accepted: shop.requirements() },
    requirements: shop.requirements(),
  })
  const cases: [string, PaymentProof, string | undefined][] = [
    ['good', good, undefined],
    ['no money', poor, 'invalid_exact_evm_insufficient_balance'],
    ['used', used, 'invalid_exact_evm_nonce_already_used'],
    ['less', await signedFor({ amount: '1' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
    ['more', await signedFor({ amount: '250001' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
    ['to someone else', await signedFor({ payTo: ada.address }), 'invalid_exact_evm_recipient_mismatch'],
    ['late', await signedFor({ maxTimeoutSeconds: 4 }), 'invalid_exact_evm_payload_authorization_valid_before'],
    ['sepolia', await signedFor({ extra: { name: 'USDC', version: '2' } }), 'invalid_exact_evm_signature'],
    ['other nonce', altered(good, (a) => (a.nonce = `0x${'12'.repeat(32)}`)), 'invalid_exact_evm_signature'],
    ['other payer', altered(good, (a) => (a.from = createBaseWallet().address)), 'invalid_exact_evm_signature'],
    [
      'raised after signing',
      altered(await signedFor({ amount: '1' }), (a) => (a.value = '250000')),
      'invalid_exact_evm_signature',
    ],
  ]
  for (const [name, proof, reason] of cases) {
    const verdict = await shop.facilitator.verify(proof)
    equal(verdict.kind === 'invalid' ? verdict.reason : undefined, reason, name)
    equal((await library(proof)).isValid, verdict.kind === 'valid', name)
  }
})

test('what the library does not check is refused without calling a node', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const facilitator = shop.facilitatorAt([faultyNode.rpcUrl])
  const proof = await shop.proofOf(createBaseWallet())
  const withPayload = (payload: unknown) => ({ ...proof, payload: { ...proof.payload, payload } as never })
  const { authorization, signature } = proof.payload.payload as { authorization: object; signature: string }
  const shapes: unknown[] = [
    null,
    [],
    { authorization },
    { authorization, signature: '0x' },
    { authorization, signature: '0xzz' },
    { authorization, signature: `0x${'00'.repeat(9_000)}` },
    { authorization: { ...authorization, value: 250000 }, signature },
    { authorization: { ...authorization, value: '0250000' }, signature },
    { authorization: { ...authorization, value: '-1' }, signature },
    { authorization: { ...authorization, validBefore: String(2n ** 256n) }, signature },
    { authorization: { ...authorization, nonce: '0x12' }, signature },
    { authorization: { ...authorization, from: '0x12' }, signature },
  ]
  for (const payload of shapes)
    deepEqual(await facilitator.verify(withPayload(payload)), { kind: 'invalid', reason: 'unsupported_payload_type' })
  const { requirements, payload } = proof
  const other = { ...requirements, asset: faucet.address }
  equal((await facilitator.verify({ payload, requirements: other })).kind, 'invalid')
  equal((await facilitator.verify({ payload, requirements: { ...requirements, network: 'eip155:1' } })).kind, 'invalid')
  equal((await facilitator.verify({ payload: { ...payload, x402Version: 1 }, requirements })).kind, 'invalid')
  deepEqual(faultyNode.requests, [])
})

test('smart wallets can pay: deployed ones, and ones to be deployed by a factory we know', { skip }, async (t) => {
  const shop = await openShop(t)
  const wallets = await smartWalletsOn(shop.chain)
  const knowing = shop.facilitatorAt([shop.chain.rpcUrl], { walletFactories: [wallets.factory.toLowerCase()] })
  for (const isDeployed of [true, false]) {
    const wallet = await wallets.create({ isDeployed })
    await shop.chain.mint(wallet.address, price)
    const proof = await shop.proofOf(wallet)
    equal((await libraryOn(shop, [wallets.factory])(proof)).isValid, true)
    if (!isDeployed) {
      const refused = { kind: 'invalid', reason: 'eip6492_factory_not_allowed' }
      deepEqual(await shop.facilitator.verify(proof), refused)
      const settlement = await shop.facilitator.settle(proof, { seenAtBlock: 0n, store: shop.store })
      equal(settlement.kind, 'refused')
    }
    const before = shop.stored.length
    equal((await shop.take(proof, knowing)).kind, 'settled', String(isDeployed))
    equal(shop.stored.length, before + 1, 'one transaction, even if it deploys the wallet too')
    equal(await shop.balance(wallet.address), 0n)
    const again = await knowing.verify(proof)
    deepEqual(again, { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used' })
  }
  equal(await shop.balance(shop.payTo), 2n * price)
})

test('a wallet that is deployed in between still pays, and another owner’s signature never does', {
  skip,
}, async (t) => {
  const shop = await openShop(t)
  const wallets = await smartWalletsOn(shop.chain)
  const knowing = shop.facilitatorAt([shop.chain.rpcUrl], { walletFactories: [wallets.factory] })
  const wallet = await wallets.create({ isDeployed: false })
  await shop.chain.mint(wallet.address, price)
  const proof = await shop.proofOf(wallet)
  const forged = await shop.proofOf({ ...(await wallets.create({ isDeployed: false })), address: wallet.address })
  equal((await knowing.verify(forged)).kind, 'invalid')
  const verdict = await knowing.verify(proof)
  equal(verdict.kind, 'valid')
  await wallet.deploy()
  equal((await shop.take(proof, knowing)).kind, 'settled')
})

test('a signature that ends in 0 or 1 is accepted like one that ends in 27 or 28', { skip }, async (t) => {
  const shop = await openShop(t)
  const proof = await shop.proofOf(await shop.fundedWallet())
  const payload = proof.payload.payload as { signature: string }
  const last = Number.parseInt(payload.signature.slice(-2), 16)
  payload.signature = `${payload.signature.slice(0, -2)}0${last - 27}`
  equal((await shop.take(proof)).kind, 'settled')
})

test('the service’s clock is used, unlike in the library, which uses the machine’s', { skip }, async (t) => {
  const shop = await openShop(t)
  await shop.clock.advance(3600_000)
  const ada = await shop.fundedWallet()
  // Signed with the machine's time, which is an hour ago for the service and the chain.
  deepEqual(await shop.facilitator.verify(await shop.proofOf(ada)), {
    kind: 'invalid',
    reason: 'invalid_exact_evm_payload_authorization_valid_before',
  })
  const now = Math.floor(shop.clock.now().getTime() / 1000)
  const message = {
    from: ada.address,
    to: shop.payTo,
    value: price,
    validAfter: BigInt(now - 60),
    validBefore: BigInt(now + 300),
    nonce: `0x${'ab'.repeat(32)}` as const,
  }
  const signature = await signTransfer(ada, message)
  const authorization = {
    ...message,
    value: String(price),
    validAfter: String(now - 60),
    validBefore: String(now + 300),
  }
  const requirements = shop.requirements()
  const payload = { x402Version: 2, accepted: requirements, payload: { authorization, signature } }
  equal((await libraryOn(shop)({ payload, requirements })).isValid, false)
  equal((await shop.take({ payload, requirements })).kind, 'settled')
})

test('a node that does not reply makes no payment invalid', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const proof = await shop.proofOf(await shop.fundedWallet())
  for (const fault of ['silent', 'drop', 'garbage', 'empty', 'busy', 'bad-gateway'] as const) {
    faultyNode.always('eth_call', fault)
    equal((await shop.facilitatorAt([faultyNode.rpcUrl], { timeoutMs: 100 }).verify(proof)).kind, 'unavailable', fault)
    // Another endpoint takes over.
    equal(
      (await shop.facilitatorAt([faultyNode.rpcUrl, shop.chain.rpcUrl], { timeoutMs: 1_000 }).verify(proof)).kind,
      'valid',
    )
  }
})

test('a node of another chain and an address without a token are never believed', { skip }, async (t) => {
  const shop = await openShop(t)
  const faultyNode = await createFaultyNode(t, shop.chain)
  const proof = await shop.proofOf(await shop.fundedWallet())
  faultyNode.always('eth_chainId', (reply) => ({ ...reply, result: '0x1' }))
  const astray = shop.facilitatorAt([faultyNode.rpcUrl])
  equal((await astray.verify(proof)).kind, 'unavailable')
  deepEqual(new Set(faultyNode.requests), new Set(['eth_chainId']))

  // A call to an address without code succeeds: everything would be valid.
  const nothing = { ...usdcToken, address: createBaseWallet().address }
  const wallet = createBaseWallet()
  const requirements = { ...shop.requirements(), asset: nothing.address }
  const unpaid = { payload: await payWith(wallet, requirements), requirements }
  equal((await shop.facilitatorAt([shop.chain.rpcUrl], { token: nothing }).verify(unpaid)).kind, 'unavailable')
})
