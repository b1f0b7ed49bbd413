import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { array, assert, constantFrom, integer, property, string, uint8Array } from 'fast-check'
import { nanoAddress, parseNanoAddress } from './address.ts'

// In public use: the live genesis account, the burn account, the genesis account of the node's dev network, and the
// first account of the seed of zeros.
const published: [string, string][] = [
  [
    'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3',
    'e89208dd038fbb269987689621d52292ae9c35941a7484756ecced92a65093ba',
  ],
  [
    'nano_1111111111111111111111111111111111111111111111111111hifc8npp',
    '0000000000000000000000000000000000000000000000000000000000000000',
  ],
  [
    'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
    'b0311ea55708d6a53c75cdbf88300259c6d018522fe3d4d0a242e431f9e8b6d0',
  ],
  [
    'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7',
    'c008b814a7d269a1fa3c6528b19201a24d797912db9996ff02a1ff356e45552b',
  ],
]
const [genesis] = published[0]!
const letters = '13456789abcdefghijkmnopqrstuwxyz'

for (const [address, key] of published) {
  test(`${address.slice(0, 12)}… is ${key.slice(0, 8)}…`, () => {
    equal(bytesToHex(parseNanoAddress(address)!), key)
    equal(nanoAddress(hexToBytes(key)), address)
  })
}

test('the old prefix gives the same key', () => {
  for (const [address, key] of published) equal(bytesToHex(parseNanoAddress(address.replace('nano_', 'xrb_'))!), key)
})

test('any single wrong letter is detected', () => {
  for (let at = 0; at < genesis.length; at += 1) {
    for (const letter of `${letters}02lvA_ `) {
      if (letter === genesis[at]) continue
      equal(parseNanoAddress(genesis.slice(0, at) + letter + genesis.slice(at + 1)), undefined, `${letter} at ${at}`)
    }
  }
})

test('two swapped neighbouring letters are detected', () => {
  for (let at = 5; at < genesis.length - 1; at += 1) {
    if (genesis[at] === genesis[at + 1]) continue
    const swapped = genesis.slice(0, at) + genesis[at + 1] + genesis[at] + genesis.slice(at + 2)
    equal(parseNanoAddress(swapped), undefined)
  }
})

test('text that only looks like an address is refused', () => {
  const body = genesis.slice('nano_'.length)
  const wrong = [
    ...['', 'nano_', body, `ban_${body}`, `nano-${body}`, `nano${body}`, `nano_xrb_${body}`, `xrb_nano_${body}`],
    ...[genesis.toUpperCase(), `NANO_${body}`, `nano_${body.toUpperCase()}`, `XRB_${body}`],
    ...[genesis.slice(0, -1), genesis.slice(1), `${genesis}1`, `nano_1${body}`, `nano_${body.slice(1)}`],
    ...[` ${genesis}`, `${genesis} `, `${genesis}\n`, `${genesis}\0`, `nano:${genesis}`, `${genesis}?amount=1`],
    // Padding bits that are not zero would give one key several spellings.
    ...[...letters].slice(2).map((letter) => `nano_${letter}${body.slice(1)}`),
  ]
  for (const text of wrong) equal(parseNanoAddress(text), undefined, JSON.stringify(text))
})

test('a key survives the round trip through its address', () => {
  assert(
    property(uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
      const address = nanoAddress(key)
      equal(address.length, 65)
      deepEqual(parseNanoAddress(address), key)
      deepEqual(parseNanoAddress(address.replace('nano_', 'xrb_')), key)
    }),
  )
})

test('random letters are not an address, and no text throws', () => {
  const body = array(constantFrom(...letters), { minLength: 60, maxLength: 60 })
  assert(property(body, (drawn) => parseNanoAddress(`nano_${drawn.join('')}`) === undefined))
  assert(property(string({ unit: 'binary' }), (text) => parseNanoAddress(text) === undefined))
})

test('a key of another length has no address', () => {
  assert(
    property(integer({ min: 0, max: 64 }), (length) => {
      if (length !== 32) throws(() => nanoAddress(new Uint8Array(length)), RangeError)
    }),
  )
})
