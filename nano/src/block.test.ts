import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import {
  hashBlock,
  isBlockContent,
  isRaw,
  isSignedByItsAccount,
  isStateBlock,
  linkTo,
  receiverOf,
  type StateBlock,
  signBlock,
  workRootOf,
  zeroHash,
} from './block.ts'
import { bytesOf } from './hex.ts'

// From the documentation of the node's RPC (`block_create`), with its secret key.
const secretKey = bytesOf('2'.padStart(64, '0'), 32)
const published: StateBlock = {
  type: 'state',
  account: 'nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr',
  previous: 'F47B23107E5F34B2CE06F562B5C435DF72A533251CB414C51B2B62A8F63A00E4',
  representative: 'nano_1hza3f7wiiqa7ig3jczyxj5yo86yegcmqk3criaz838j91sxcckpfhbhhra1',
  balance: '1000000000000000000000',
  link: '19D3D919475DEED4696B5D13018151D1AF88B2BD3BCFF048B45031C1F36D1858',
  signature:
    '3BFBA64A775550E6D49DF1EB8EEC2136DCD74F090E2ED658FBD9E80F17CB1C9F9F7BDE2B93D95558EC2F277FFF15FD11E6E2162A1714731B743D1E941FA4560A',
  work: 'cab7404f0b5449d0',
}
const hash = 'FF0144381CFF0B2C079A115E7ADA7E96F43FD219446E7524C48D1CC9900C4F17'

test('a block from the live network has the known hash, signature and receiver', () => {
  equal(hashBlock(published), hash)
  equal(isSignedByItsAccount(published), true)
  equal(receiverOf(published), 'nano_18gmu6engqhgtjnppqam181o5nfhj4sdtgyhy36dan3jr9spt84rzwmktafc')
  equal(linkTo(receiverOf(published)), published.link)
  equal(signBlock(published, secretKey).signature, published.signature)
})

test('hash and signature do not depend on the case or prefix in the block', () => {
  const respelled = {
    ...published,
    account: published.account.replace('nano_', 'xrb_'),
    previous: published.previous.toLowerCase(),
    link: published.link.toLowerCase(),
    signature: published.signature.toLowerCase(),
  }
  equal(hashBlock(respelled), hash)
  equal(isSignedByItsAccount(respelled), true)
  equal(workRootOf(respelled), published.previous)
})

test('changing any field breaks the signature', () => {
  const other = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
  for (const change of [
    { account: other },
    { representative: other },
    { previous: zeroHash },
    { link: zeroHash },
    { balance: '1000000000000000000001' },
  ]) {
    equal(isSignedByItsAccount({ ...published, ...change }), false, JSON.stringify(change))
  }
  throws(() => signBlock({ ...published, account: other }, secretKey), RangeError)
})

test("work is computed over the previous block, or an account's public key", () => {
  equal(workRootOf(published), published.previous)
  equal(workRootOf({ account: published.account, previous: zeroHash }), linkTo(published.account))
})

test('malformed blocks are recognized before anything is computed', () => {
  equal(isStateBlock(published), true)
  for (const change of [
    { type: 'send' },
    { account: 'nano_1' },
    { representative: '' },
    { previous: '0' },
    { link: `${published.link}00` },
    { balance: '01' },
    { balance: String(2n ** 128n) },
    { balance: '-1' },
    { signature: published.signature.slice(2) },
    { work: '0' },
  ]) {
    equal(isStateBlock({ ...published, ...change } as StateBlock), false, JSON.stringify(change))
  }
  equal(isBlockContent({ ...published, link: 'x' }), false)
  equal(isRaw('340282366920938463463374607431768211455'), true)
  equal(isRaw('340282366920938463463374607431768211456'), false)
})
