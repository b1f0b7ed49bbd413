import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import fc from 'fast-check'
import { effectivePrice, offersOf, type PriceTerms } from './pricing.ts'

const now = new Date('2026-01-01T00:00:00Z')
const terms: PriceTerms = {
  hasPaywall: true,
  currency: 'XNO',
  atomic: amountOf('XNO', 10n ** 30n),
  hasZip: false,
  receives: { XNO: true, USDC: true },
  railsOn: { XNO: true, USDC: true },
  rates: { XNO: { usd: '1.25', at: now }, USDC: { usd: '1', at: now } },
  commissionBps: 500n,
  now,
  accessUrl: 'http://x/api/posts/1/access',
}

test('a free Post costs nothing and has no offers', () => {
  deepEqual(offersOf({ ...terms, hasPaywall: false }), [])
  deepEqual(effectivePrice({ ...terms, hasPaywall: false }), {
    raw: '0',
    xno: '0',
    currency: 'XNO',
    unit: 'raw',
    decimals: 30,
    usd: '0',
  })
})

test('the price in US dollars follows the rate of its currency, and needs a fresh one', () => {
  const usd = (change: Partial<PriceTerms>) => effectivePrice({ ...terms, ...change }).usd
  equal(usd({}), '1.25')
  equal(usd({ atomic: amountOf('XNO', 8n * 10n ** 30n) }), '10')
  equal(usd({ atomic: amountOf('XNO', 10n ** 29n) }), '0.125')
  equal(usd({ atomic: amountOf('XNO', 1n) }), '0.000001', 'never nothing')
  const rates = { XNO: { usd: '1.25', at: now }, USDC: { usd: '0.9997', at: now } }
  equal(usd({ currency: 'USDC', atomic: amountOf('USDC', 250_000n), rates }), '0.249925')
  equal(usd({ rates: undefined }), null)
  const old = new Date(now.getTime() - 3_600_001)
  for (const stale of [
    { ...rates, XNO: { usd: '1', at: old } },
    { ...rates, USDC: { usd: '1', at: old } },
  ])
    equal(usd({ rates: stale }), null)
  equal(usd({ rates: undefined, hasPaywall: false }), '0')
})

test('USDC stands before XNO; the converted one says how it was converted', () => {
  const [usdc, xno] = offersOf(terms)
  equal(usdc!.amountAtomic, '1250000')
  equal(usdc!.feeAtomic, '0')
  deepEqual(usdc!.derived, {
    from: { asset: 'XNO', amountAtomic: `1${'0'.repeat(30)}` },
    rate: '1.25/1',
    providers: [
      { pair: 'XNO/USD', price: '1.25', at: now.toISOString() },
      { pair: 'USDC/USD', price: '1', at: now.toISOString() },
    ],
  })
  equal(xno!.amount, '1')
  equal(xno!.derived, null)
  equal(xno!.feeAtomic, `5${'0'.repeat(28)}`)
})

test('an offer is ready, or says why not', () => {
  const statuses = (change: Partial<PriceTerms>) => offersOf({ ...terms, ...change }).map(({ status }) => status)
  deepEqual(statuses({}), ['ready', 'ready'])
  deepEqual(statuses({ receives: { XNO: false, USDC: true } }), ['ready', 'address_missing'])
  deepEqual(statuses({ railsOn: { XNO: true, USDC: false } }), ['rail_off', 'ready'])
  deepEqual(statuses({ rates: undefined }), ['rate_stale', 'ready'])
  const old = { usd: '1', at: new Date(now.getTime() - 3_600_001) }
  deepEqual(statuses({ rates: { ...terms.rates!, USDC: old } }), ['rate_stale', 'ready'])
  const justFresh = { usd: '1', at: new Date(now.getTime() - 3_600_000) }
  deepEqual(statuses({ rates: { ...terms.rates!, USDC: justFresh } }), ['ready', 'ready'])
})

test('USDC has a floor of 0.10 for text and 0.25 with a ZIP; Nano has none', () => {
  const usdc = (atomic: bigint, hasZip: boolean) =>
    offersOf({ ...terms, currency: 'USDC', atomic: amountOf('USDC', atomic), hasZip })
  equal(usdc(99_999n, false)[0]!.status, 'below_minimum')
  equal(usdc(99_999n, false)[0]!.minimumAtomic, '100000')
  equal(usdc(100_000n, false)[0]!.status, 'ready')
  equal(usdc(249_999n, true)[0]!.status, 'below_minimum')
  equal(usdc(250_000n, true)[0]!.status, 'ready')
  equal(offersOf({ ...terms, atomic: amountOf('XNO', 1n) })[1]!.status, 'ready')
})

test('a USDC price in XNO is unknown while no fresh rate is there', () => {
  const price = { ...terms, currency: 'USDC' as const, atomic: amountOf('USDC', 500_000n) }
  equal(effectivePrice(price).xno, '0.4')
  deepEqual(effectivePrice({ ...price, rates: undefined }).raw, null)
})

test('a conversion never gives the author less than asked, nor more than a unit more', () => {
  const decimal = fc
    .tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 6 }))
    .map(([digits, shift]) => (digits / 10 ** shift).toFixed(shift))
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 34n }), decimal, decimal, (atomic, xnoUsd, usdcUsd) => {
      const rates = { XNO: { usd: xnoUsd, at: now }, USDC: { usd: usdcUsd, at: now } }
      const usdc = BigInt(offersOf({ ...terms, atomic: amountOf('XNO', atomic), rates })[0]!.amountAtomic!)
      const scale = (text: string) =>
        BigInt(text.replace('.', '')) * 10n ** BigInt(6 - (text.split('.')[1]?.length ?? 0))
      // usdc * usdcUsd * 10^24 >= atomic * xnoUsd, and one unit less is not.
      ok(usdc * scale(usdcUsd) * 10n ** 24n >= atomic * scale(xnoUsd))
      ok((usdc - 1n) * scale(usdcUsd) * 10n ** 24n < atomic * scale(xnoUsd))
    }),
  )
})

test('amounts are written exactly', () => {
  equal(formatAmount('XNO', amountOf('XNO', 1n)), `0.${'0'.repeat(29)}1`)
  equal(formatAmount('USDC', amountOf('USDC', 1_500_000n)), '1.5')
  equal(formatAmount('USDC', amountOf('USDC', 0n)), '0')
})

test('a price that converts to more than there is of Nano is not offered in Nano', () => {
  // A dollar is 0.8 XNO: these two lie on both sides of all Nano there is.
  const [fits, tooMuch] = [166_560_372_401_173n, 166_560_372_401_174n]
  const xno = (atomic: bigint) => offersOf({ ...terms, currency: 'USDC', atomic: amountOf('USDC', atomic) })[1]!
  equal(xno(fits).status, 'ready')
  const { status, amountAtomic, feeAtomic, reason } = xno(tooMuch)
  deepEqual([status, amountAtomic, feeAtomic], ['rate_stale', null, null])
  match(reason!, /exceeds the total supply/)
  equal(effectivePrice({ ...terms, currency: 'USDC', atomic: amountOf('USDC', tooMuch) }).raw, null)
})
