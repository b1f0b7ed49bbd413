import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { assert, property, uint8Array } from 'fast-check'
import { nanoAddress } from './address.ts'
import { bytesOf, parseHex, upperHex } from './hex.ts'
import { deriveSecretKey, hasSigned, keyPairOf, publicKeyOf, signBytes } from './keys.ts'

const seedOfZeros = new Uint8Array(32)
const bytes32 = uint8Array({ minLength: 32, maxLength: 32 })

// The order of the curve's group: adding it to a signature's second half gives another that a careless check accepts.
const order = 2n ** 252n + 27742317777372353535851937790883648493n

test('keys of the zero seed match the published ones', () => {
  const secretKey = deriveSecretKey(seedOfZeros, 0)
  equal(upperHex(secretKey), '9F0E444C69F77A49BD0BE89DB92C38FE713E0963165CCA12FAF5712D7657120F')
  equal(upperHex(publicKeyOf(secretKey)), 'C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B')
  equal(nanoAddress(publicKeyOf(secretKey)), 'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7')
  equal(upperHex(deriveSecretKey(seedOfZeros, 1)), 'B73B723BF7BD042B66AD3332718BA98DE7312F95ED3D05A130C9204552A7AFFF')
})

test("the dev network's genesis key belongs to its account", () => {
  const secretKey = bytesOf('34F0A37AAD20F4A260F0A5B3CB3D7FB50673212263E58A380BC10474BB039CE4', 32)
  equal(nanoAddress(publicKeyOf(secretKey)), 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo')
})

test('a signature is valid for its bytes and key only', () => {
  assert(
    property(bytes32, bytes32, bytes32, (secretKey, message, other) => {
      const publicKey = publicKeyOf(secretKey)
      const signature = signBytes(message, secretKey)
      const pair = keyPairOf(secretKey)
      equal(upperHex(pair.publicKey), upperHex(publicKey))
      equal(upperHex(pair.sign(message)), upperHex(signature))
      equal(hasSigned(publicKey, message, signature), true)
      if (upperHex(other) !== upperHex(message)) equal(hasSigned(publicKey, other, signature), false)
      if (upperHex(other) !== upperHex(publicKey)) equal(hasSigned(other, message, signature), false)
      for (const at of [0, 31, 32, 63]) {
        const changed = signature.slice()
        changed[at]! ^= 1
        equal(hasSigned(publicKey, message, changed), false)
      }
    }),
    { numRuns: 10 },
  )
})

test('the second form of a signature, which nodes accept, is refused', () => {
  const secretKey = deriveSecretKey(seedOfZeros, 7)
  const message = new Uint8Array([1, 2, 3])
  const signature = signBytes(message, secretKey)
  const s = BigInt(`0x${upperHex(signature.slice(32).reverse())}`) + order
  const malleated = new Uint8Array([
    ...signature.slice(0, 32),
    ...bytesOf(s.toString(16).padStart(64, '0'), 32).reverse(),
  ])
  equal(hasSigned(publicKeyOf(secretKey), message, malleated), false)
})

test('keys and signatures of the wrong length are invalid; seeds and indexes throw', () => {
  const publicKey = publicKeyOf(deriveSecretKey(seedOfZeros, 0))
  equal(hasSigned(publicKey.slice(1), new Uint8Array(1), new Uint8Array(64)), false)
  equal(hasSigned(publicKey, new Uint8Array(1), new Uint8Array(63)), false)
  equal(hasSigned(new Uint8Array(32).fill(255), new Uint8Array(1), new Uint8Array(64).fill(255)), false)
  throws(() => deriveSecretKey(new Uint8Array(31), 0), RangeError)
  for (const index of [-1, 0.5, 2 ** 32, Number.NaN]) throws(() => deriveSecretKey(seedOfZeros, index), RangeError)
})

test('hexadecimal is accepted in both cases, at its exact length only', () => {
  equal(upperHex(parseHex('aBcD', 2)!), 'ABCD')
  for (const text of ['', 'abc', 'abcde', 'abcdef', 'xyzw', '0x12', ' 123', '12\n4'])
    equal(parseHex(text, 2), undefined, JSON.stringify(text))
})
