import { equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { searches } from '@pennypost/contract/discovery'
import { rateLimited } from '@pennypost/contract/errors'
import { movableClock } from '../platform/clock.ts'
import type { Refused } from '../platform/http/refuse.ts'
import { memoryRateLimiter } from '../platform/limits/memory-rate-limiter.ts'
import { limitSearches } from './limit-searches.ts'

const filters = { category: 'tech', page: 7 }

test('words and highest prices count as searches, other filters do not', async () => {
  const clock = await movableClock()
  for (const [query, isSearch] of [
    [{ q: 'engines' }, true],
    [{ max_price_raw: 1000n }, true],
    [{ max_price_raw: '1000' }, true],
    [{ max_amount_atomic: 1000n }, true],
    [{ q: '', max_price_raw: undefined, ...filters }, false],
  ] as const) {
    const parts = { rateLimiter: memoryRateLimiter(), clock }
    for (let count = 0; count < searches.max; count += 1) await limitSearches(parts, query, '192.0.2.1')
    const further = limitSearches(parts, query, '192.0.2.1')
    if (isSearch) await rejects(further, (error: Refused) => error.refusal === rateLimited)
    else equal(await further, undefined)
    await limitSearches(parts, query, '192.0.2.2')
  }
})
