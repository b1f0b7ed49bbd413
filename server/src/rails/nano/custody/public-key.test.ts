import { equal } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { upperHex } from '@pennypost/nano/hex'
import { publicKeyOf as definedKeyOf, deriveSecretKey } from '@pennypost/nano/keys'
import { keyByX25519, publicKeyOf } from './public-key.ts'

test('a public key is the same by way of X25519 as by definition', () => {
  const seed = randomBytes(32)
  for (let index = 0; index < 3_000; index += 1) {
    const secretKey = deriveSecretKey(seed, index)
    equal(upperHex(keyByX25519(secretKey)), upperHex(definedKeyOf(secretKey)), upperHex(secretKey))
  }
})

test('this Node takes the short way, and gets the published key', () => {
  equal(publicKeyOf, keyByX25519)
  const secretKey = deriveSecretKey(new Uint8Array(32), 0)
  equal(upperHex(publicKeyOf(secretKey)), 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B')
})
