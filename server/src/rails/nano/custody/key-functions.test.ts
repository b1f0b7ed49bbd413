import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { upperHex } from '@pennypost/nano/hex'
import { deriveSecretKey } from '@pennypost/nano/keys'
import { definedKeys, loadKeyFunctions, loadSodium } from './key-functions.ts'
import { keyringFrom, offerDerivation, randomNonce } from './keyring.ts'

const seed = randomBytes(32)
const loaded = await loadKeyFunctions()

test('this Node computes with libsodium, and gets the published key', () => {
  notEqual(loaded, definedKeys)
  const secretKey = deriveSecretKey(new Uint8Array(32), 0)
  equal(upperHex(loaded.publicKeyOf(secretKey)), 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B')
})

test('keys are computed by definition where libsodium cannot be loaded or computes others, and the cause is known', async () => {
  const sodium = await loadSodium()
  const loads = {
    'no module': () => Promise.reject(new Error('no module')),
    'libsodium refused a key': async () => ({ ...sodium, _crypto_scalarmult_ed25519_base: () => -1 }),
    'libsodium computes other keys than those that are published': async () => ({
      ...sodium,
      _crypto_scalarmult_ed25519_base: () => 0,
    }),
  }
  for (const [expected, load] of Object.entries(loads)) {
    const causes: string[] = []
    equal(await loadKeyFunctions((cause) => causes.push(cause), load), definedKeys)
    deepEqual(causes, [expected])
  }
})

test('a public key is the same by libsodium as by definition', () => {
  const extremes = [new Uint8Array(32), new Uint8Array(32).fill(255)]
  const secretKeys = [...extremes, ...Array.from({ length: 3_000 }, () => randomBytes(32))]
  for (const secretKey of secretKeys)
    equal(upperHex(loaded.publicKeyOf(secretKey)), upperHex(definedKeys.publicKeyOf(secretKey)), upperHex(secretKey))
})

test('a keyed hash is the same by libsodium as by definition, for texts of every length', () => {
  for (let length = 0; length <= 300; length += 1) {
    const text = randomBytes(length)
    const key = randomBytes(32)
    equal(upperHex(loaded.keyedHash(text, key)), upperHex(definedKeys.keyedHash(text, key)), `${length} bytes`)
  }
})

test('a checksum is the same by libsodium as by definition', () => {
  const publicKeys = Array.from({ length: 3_000 }, () => randomBytes(32))
  for (const publicKey of publicKeys)
    equal(upperHex(loaded.checksumOf(publicKey)), upperHex(definedKeys.checksumOf(publicKey)), upperHex(publicKey))
})

test('an offer has the same address by libsodium as by definition', () => {
  const quick = keyringFrom(seed.toString('hex'), undefined, loaded)
  const slow = keyringFrom(seed.toString('hex'))
  const derivations = Array.from({ length: 300 }, () => offerDerivation(randomNonce()))
  deepEqual(quick.addressesOf(derivations), slow.addressesOf(derivations))
  for (const each of derivations.slice(0, 20)) equal(quick.addressOf(each), nanoAddress(slow.keyPairOf(each).publicKey))
})
