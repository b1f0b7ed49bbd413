import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { parsePaymentUri, paymentUri } from './payment-uri.ts'

const address = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

test('a payment URI survives the round trip', () => {
  equal(paymentUri(address, 10n ** 30n), `nano:${address}?amount=1${'0'.repeat(30)}`)
  equal(paymentUri(address), `nano:${address}`)
  for (const amountRaw of [undefined, 0n, 1n, 2n ** 128n - 1n])
    deepEqual(parsePaymentUri(paymentUri(address, amountRaw)), { address, amountRaw })
  deepEqual(parsePaymentUri(`nano:${address}?label=Ada&amount=5&message=hi`), { address, amountRaw: 5n })
})

test('malformed payment URIs are refused', () => {
  for (const text of [
    address,
    'nano:',
    'nano:nano_1',
    `http:${address}`,
    `nano:${address}?amount=1.5`,
    `nano:${address}?amount=-1`,
  ])
    equal(parsePaymentUri(text), undefined, text)
  throws(() => paymentUri('nano_1'), RangeError)
  throws(() => paymentUri(address, 2n ** 128n), RangeError)
})

test('a payment URI says who is paid and what for, encoded and short enough for a QR code', () => {
  const uri = paymentUri(address, 1n, { label: 'Ada & Co?', message: 'On engines: 50 %' })
  equal(uri, `nano:${address}?amount=1&label=Ada%20%26%20Co%3F&message=On%20engines%3A%2050%20%25`)
  deepEqual(parsePaymentUri(uri), { address, amountRaw: 1n })
  equal(paymentUri(address, undefined, { label: 'Ada' }), `nano:${address}?label=Ada`)
  equal(paymentUri(address, 1n, { label: '', message: '' }), `nano:${address}?amount=1`)
  const long = new URL(paymentUri(address, 1n, { label: 'x'.repeat(1000), message: '🚂'.repeat(1000) })).searchParams
  deepEqual([long.get('label'), long.get('message')], ['x'.repeat(60), '🚂'.repeat(5)])
  equal(paymentUri(address, 1n, { message: '\ud83d!' }), `nano:${address}?amount=1&message=%EF%BF%BD!`)
})
