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
