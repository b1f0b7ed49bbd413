import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { validation } from '@pennypost/contract/errors'
import { markdownTooComplex } from '@pennypost/contract/posts'
import { Refused } from '../platform/http/refuse.ts'
import { createRenderer, ownSender } from './markdown/renderer.ts'
import { priceAfter, renderPart } from './post-content.ts'

test('Markdown that takes too long to render is refused', async (t) => {
  const renderer = createRenderer(1)
  t.after(() => renderer.close())
  await rejects(renderPart(renderer, ownSender('account'), '# a\n'.repeat(50_000)), (error) => {
    equal((error as Refused).refusal, markdownTooComplex)
    return error instanceof Refused
  })
})

test('a price in Nano is at most the total supply', () => {
  const saved = { has_paywall: true, price_currency: null, price_atomic: null }
  const supply = 133_248_297_920_938_463_463_374_607_431_768_211_455n
  const priced = (raw: bigint) => priceAfter({ priceCurrency: 'XNO', priceAtomic: raw.toString() }, saved)
  deepEqual(priced(supply), { price_currency: 'XNO', price_atomic: supply.toString() })
  throws(
    () => priced(supply + 1n),
    (error) => error instanceof Refused && error.refusal === validation,
  )
})
