import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { formatAmount, parseAmount } from './money.ts'

test('an amount is written in whole units and read back, to the last unit', () => {
  for (const atomic of [0n, 1n, 10n, 999_999n, 10n ** 6n, 10n ** 30n - 1n, 10n ** 30n, 2n ** 128n - 1n]) {
    equal(parseAmount('XNO', formatAmount('XNO', atomic)), atomic)
    equal(parseAmount('USDC', formatAmount('USDC', atomic % 10n ** 20n)), atomic % 10n ** 20n)
  }
  equal(parseAmount('XNO', '0.25'), 25n * 10n ** 28n)
  equal(parseAmount('USDC', '1.500000'), 1_500_000n)
})

test('what is no amount, or finer than the smallest unit, is not rounded', () => {
  for (const text of ['', '.', '1.', '.5', '01', '-1', '+1', '1e3', '0x1', ' 1', '1\n', '1,5', '1.5.0', '١']) {
    equal(parseAmount('XNO', text), undefined, JSON.stringify(text))
  }
  equal(parseAmount('USDC', '0.0000001'), undefined)
  equal(parseAmount('XNO', `0.${'0'.repeat(30)}1`), undefined)
  equal(parseAmount('XNO', '1'.repeat(16)), undefined)
})
