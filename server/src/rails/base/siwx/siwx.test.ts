import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createSiweMessage } from 'viem/siwe'
import { hasAnvil } from '../../../test/base-chain.ts'
import { createBaseWallet, smartWalletsOn } from '../../../test/base-wallet.ts'
import { createFaultyNode } from '../../../test/faulty-node.ts'
import { createWorld } from '../../../test/world.ts'
import { readSiwxHeader, type SiwxInfo, siwxFault, siwxMessage } from './siwx-message.ts'
import { verifyWalletMessage } from './wallet-signature.ts'

const skip = !hasAnvil
const uri = 'https://pennypost.example/api/posts/1/access?siwx=read'
const info: SiwxInfo = {
  domain: 'pennypost.example',
  uri,
  version: '1',
  chainId: 'eip155:8453',
  nonce: 'a1b2c3d4e5f67890',
  issuedAt: '2026-11-15T00:00:00.000Z',
}
const ada = createBaseWallet()

test('the text matches EIP-4361 exactly', () => {
  const stamps = { expirationTime: '2026-11-15T00:05:00.000Z', notBefore: '2026-11-14T00:00:00.000Z' }
  for (const more of [
    {},
    { statement: 'Sign in to read what you bought' },
    { ...stamps, requestId: 'r-1' },
    { statement: 'S', ...stamps, resources: [uri, 'https://pennypost.example/me'] },
    { domain: 'localhost:3000', uri: 'http://localhost:3000/x?y=1' },
  ] as Partial<SiwxInfo>[]) {
    const given = { ...info, ...more }
    const { chainId: _, issuedAt, expirationTime, notBefore, ...rest } = given
    const expected = createSiweMessage({
      ...(rest as Required<typeof rest>),
      address: ada.address,
      chainId: 8453,
      issuedAt: new Date(issuedAt),
      ...(expirationTime && { expirationTime: new Date(expirationTime) }),
      ...(notBefore && { notBefore: new Date(notBefore) }),
    })
    equal(siwxMessage(given, ada.address), expected)
  }
})

const headerOf = (proof: unknown): string => Buffer.from(JSON.stringify(proof)).toString('base64')

test('a header is parsed strictly: no field can fake another line', () => {
  const proof = { ...info, address: ada.address.toLowerCase(), type: 'eip191', signature: '0x1234' }
  deepEqual(readSiwxHeader(headerOf(proof)), { ...proof, address: ada.address })
  for (const wrong of [
    { domain: 'pennypost.example\nevil.example' },
    { uri: 'https://a.example\nNonce: 12345678' },
    { statement: 'Hello\n\nURI: https://evil.example' },
    { resources: ['https://a.example\n- https://b.example'] },
    { requestId: '\r' },
    { nonce: 'short' },
    { nonce: 'with space1' },
    { version: '2' },
    { chainId: '8453' },
    { chainId: 'nano:mainnet' },
    { type: 'ed25519' },
    { issuedAt: 'yesterday' },
    { address: '0x12' },
    { signature: 'none' },
    { signature: `0x${'00'.repeat(9_000)}` },
    { resources: Array.from({ length: 11 }, () => uri) },
  ])
    equal(readSiwxHeader(headerOf({ ...proof, ...wrong })), undefined, JSON.stringify(wrong).slice(0, 80))
  for (const header of ['', '%%%', 'bm90IGpzb24=', headerOf(null), headerOf([]), 'A'.repeat(30_000)])
    equal(readSiwxHeader(header), undefined, header.slice(0, 20))
})

test('a signature for another domain, chain or time is refused', () => {
  const now = new Date('2026-11-15T00:01:00.000Z')
  const expected = { domain: 'pennypost.example', uri, chainIds: ['eip155:8453'], now }
  const fault = (more: Partial<SiwxInfo>, at = expected) => siwxFault({ ...info, ...more }, at)
  equal(fault({}), undefined)
  equal(fault({ domain: 'evil.example' }), 'domain')
  equal(fault({ domain: 'PENNYPOST.example' }), 'domain')
  equal(fault({ uri: uri.replace('/1/', '/2/') }), 'uri')
  equal(fault({ uri: `${uri}&` }), 'uri')
  equal(fault({ chainId: 'eip155:1' }), 'chainId')
  equal(fault({ issuedAt: '2026-11-15T00:07:00.000Z' }), 'issuedAt')
  equal(fault({ issuedAt: '2026-11-14T22:00:00.000Z' }), 'issuedAt')
  equal(fault({ expirationTime: '2026-11-15T00:01:00.000Z' }), 'expirationTime')
  equal(fault({ expirationTime: '2026-11-15T00:01:01.000Z' }), undefined)
  equal(fault({ notBefore: '2026-11-15T00:02:00.000Z' }), 'notBefore')
})

test('a key signs for its own account and this text only, and no node is called', async () => {
  const message = siwxMessage(info, ada.address)
  const signature = await ada.signMessage(message)
  const verdict = (change: object) =>
    verifyWalletMessage({ address: ada.address, message, signature, ...change }, undefined)
  equal(await verdict({}), 'valid')
  equal(await verdict({ address: ada.address.toLowerCase() }), 'valid')
  equal(await verdict({ address: createBaseWallet().address }), 'invalid')
  equal(await verdict({ message: `${message} ` }), 'invalid')
  equal(await verdict({ signature: await createBaseWallet().signMessage(message) }), 'invalid')
  for (const nonsense of ['0x', '0x12', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `${signature}00`])
    equal(await verdict({ signature: nonsense }), 'invalid', nonsense)
})

test('smart wallets sign in, deployed or not; an unreachable node is not a refusal', { skip }, async (t) => {
  const world = await createWorld(t)
  const { base } = world.services
  const chain = await base!.embeddedChain!()
  const wallets = await smartWalletsOn(chain)
  for (const isDeployed of [true, false]) {
    const wallet = await wallets.create({ isDeployed })
    const message = siwxMessage(info, wallet.address)
    const signature = await wallet.signMessage(message)
    equal(await base!.verifyMessage({ address: wallet.address, message, signature }), 'valid', String(isDeployed))
    equal(await base!.verifyMessage({ address: wallet.address, message: `${message}.`, signature }), 'invalid')
    const other = await (await wallets.create({ isDeployed })).signMessage(message)
    equal(await base!.verifyMessage({ address: wallet.address, message, signature: other }), 'invalid')
    // Deploying one's own wallet does not prove another account.
    equal(await base!.verifyMessage({ address: ada.address, message, signature }), 'invalid')
    equal(await verifyWalletMessage({ address: wallet.address, message, signature }, undefined), 'invalid')

    const faultyNode = await createFaultyNode(t, chain)
    faultyNode.always('*', 'drop')
    const settings = { BASE_RPC_URL: faultyNode.rpcUrl, BASE_SETTLER_KEY: `0x${'11'.repeat(32)}` }
    const cutOff = (await createWorld(t, { settings })).services.base!
    equal(await cutOff.verifyMessage({ address: wallet.address, message, signature }), 'unavailable')
  }
})
