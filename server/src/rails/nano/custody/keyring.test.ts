import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { addressesFrom, type Derivation, keyringFrom, offerDerivation } from './keyring.ts'

const seed = '7'.repeat(64)
const named = (text: string): Derivation => ({ id: '0', derivation: text })

test('addresses that are derived together come in the order that was asked for, whichever were known', () => {
  const wanted = [named('a'), { id: '3', derivation: null }, named('b'), named('a'), named('c')]
  const alone = wanted.map((each) => keyringFrom(seed).addressOf(each))
  const keyring = keyringFrom(seed)
  keyring.addressesOf([named('c'), named('b')])
  deepEqual(keyring.addressesOf(wanted), alone)
  deepEqual(keyring.addressesOf(wanted), alone)
  deepEqual(keyring.addressesOf([]), [])
})

test('no offer gets the nonce of another, and the address of each is the one of its key', async () => {
  const own = addressesFrom(keyringFrom(seed), async () => {})
  const nonces = await Promise.all(Array.from({ length: 100 }, () => own.newOfferNonce()))
  equal(new Set(nonces).size, nonces.length)
  const derivations = nonces.map(offerDerivation)
  deepEqual(
    await own.addressesOf(derivations),
    derivations.map((each) => keyringFrom(seed).addressOf(each)),
  )
})
