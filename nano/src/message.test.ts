import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToHex } from '@noble/hashes/utils.js'
import { nanoAddress } from './address.ts'
import { bytesOf, upperHex } from './hex.ts'
import { publicKeyOf, signBytes } from './keys.ts'
import { hasSignedMessage, hasSignedText, messageDigest, signMessage } from './message.ts'

// From ORIS-001.
const secretKey = bytesOf('681FD5ED71A9F81E9D29E3450F6CD8AACB87346FD21A26003389290B9D0CB173', 32)
const address = nanoAddress(publicKeyOf(secretKey))

test('the published digest and signature of ORIS-001', () => {
  equal(bytesToHex(messageDigest('', 'noms')), '977a10e19a7857eefad986d73b071bbb7dad60846c7785f6d0ccffe0d7bd40b9')
  const signature =
    '535c745819d0f40056f3c46402b4fae4356b3a8897bde99c955d411920e740d781e6dddcbde228e8b86c4383a1003f9f315519ff73bd356f561d19865dc90f09'
  equal(signMessage('Hej Nano!🥦', 'noms', secretKey).toLowerCase(), signature)
  equal(hasSignedMessage(address, 'Hej Nano!🥦', signature), true)
})

test('the plain digest is blake2b-256 of the text', () => {
  // The published digest of the empty text.
  equal(bytesToHex(messageDigest('', 'plain')), '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8')
})

test('both forms are accepted, with either address prefix and case of signature, for this text only', () => {
  for (const form of ['noms', 'plain'] as const) {
    const signature = signMessage('sign in to pennypost.test', form, secretKey)
    equal(hasSignedMessage(address, 'sign in to pennypost.test', signature), true)
    equal(
      hasSignedMessage(address.replace('nano_', 'xrb_'), 'sign in to pennypost.test', signature.toLowerCase()),
      true,
    )
    equal(hasSignedMessage(address, 'sign in to pennypost.test ', signature), false)
    equal(hasSignedMessage(address, 'sign in to pennypost.test', signature.slice(2)), false)
    equal(hasSignedMessage('nano_1', 'sign in to pennypost.test', signature), false)
  }
})

test('signatures of raw bytes differ from hashed ones, and are refused if the bytes could be a hash', () => {
  const signed = (text: string) => upperHex(signBytes(new TextEncoder().encode(text), secretKey))
  const text = '1700000000:sign in to pennypost.test:nano_1'
  equal(hasSignedText(address, text, signed(text)), true)
  equal(hasSignedText(address, `${text} `, signed(text)), false)
  equal(hasSignedText(address, text, signMessage(text, 'plain', secretKey)), false)
  equal(hasSignedMessage(address, text, signed(text)), false)
  const blockHash = 'x'.repeat(32)
  equal(hasSignedText(address, blockHash, signed(blockHash)), false)
})
