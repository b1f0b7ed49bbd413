import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type Amount, amountOf, formatAmount, minus, parseAmount, plus, splitSale, storedSale } from './money.ts'

test('an amount is written in whole units and read back, to the last unit', () => {
  for (const atomic of [0n, 1n, 10n, 999_999n, 10n ** 6n, 10n ** 30n - 1n, 10n ** 30n, 2n ** 128n - 1n]) {
    equal(parseAmount('XNO', formatAmount('XNO', amountOf('XNO', atomic))), atomic)
    const usdc = amountOf('USDC', atomic % 10n ** 20n)
    equal(parseAmount('USDC', formatAmount('USDC', usdc)), usdc)
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

test('a sale is split once: commission is rounded down, the author gets the rest, and nothing is lost', () => {
  for (const [paid, bps] of [
    [1n, 500n],
    [19n, 500n],
    [20n, 500n],
    [10n ** 30n + 7n, 1n],
    [2n ** 128n - 1n, 9_999n],
    [7n, 0n],
    [7n, 10_000n],
  ] as const) {
    const { gross, commission, net } = splitSale(amountOf('XNO', paid), bps)
    deepEqual([gross, commission + net, commission], [paid, paid, (paid * bps) / 10_000n])
    deepEqual(storedSale('XNO', String(gross), String(commission)), { gross, commission, net })
  }
})

test('assets do not mix, nor gross and net: the compiler says so', () => {
  const raw = amountOf('XNO', 3n)
  const atomic = amountOf('USDC', 2n)
  equal(plus(raw, raw), 6n)
  // @ts-expect-error raw and atomic units do not add up
  plus(raw, atomic)
  // @ts-expect-error nor can one be taken from the other
  minus(atomic, raw)
  // @ts-expect-error raw is not written as USDC
  formatAmount('USDC', raw)
  // @ts-expect-error a bigint of no asset is no amount
  const plain: Amount = 1n
  const sale = splitSale(raw, 0n)
  // @ts-expect-error what the buyer pays is not what the author gets
  const net: typeof sale.net = sale.gross
  deepEqual([plain, net], [1n, 3n])
})
