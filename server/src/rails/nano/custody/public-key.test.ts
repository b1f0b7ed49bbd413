import { deepEqual, equal } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { upperHex } from '@pennypost/nano/hex'
import { publicKeyOf as definedKeyOf, deriveSecretKey } from '@pennypost/nano/keys'
import { keysByX25519, publicKeysOf } from './public-key.ts'

test('a public key is the same by way of X25519 as by definition', () => {
  const seed = randomBytes(32)
  const secretKeys = Array.from({ length: 3_000 }, (_, index) => deriveSecretKey(seed, index))
  const [alone, ...together] = secretKeys
  const found = [...keysByX25519([alone!]), ...keysByX25519(together)]
  for (const [index, secretKey] of secretKeys.entries())
    equal(upperHex(found[index]!), upperHex(definedKeyOf(secretKey)), upperHex(secretKey))
  deepEqual(keysByX25519([]), [])
})

test('this Node takes the short way, and gets the published key', () => {
  equal(publicKeysOf, keysByX25519)
  const secretKey = deriveSecretKey(new Uint8Array(32), 0)
  equal(upperHex(publicKeysOf([secretKey])[0]!), 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B')
})
