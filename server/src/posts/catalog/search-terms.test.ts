import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { queryTerms, type Tier, tiers, wordTerms } from './search-terms.ts'

test('the terms of a word are those of its tier, its keys and its completions, also when it is searched for again', () => {
  const words = [
    { keys: ['engine'], completions: [] },
    { keys: ['engine', 'english~engin'], completions: [] },
    { keys: ['engine'], completions: ['english~engin'] },
    { keys: ['engine'], completions: ['english~engin', 'engineer'] },
  ]
  const hashed = (tier: Tier) =>
    words.map(({ keys, completions }) => [
      ...wordTerms(tier, [...keys, ...completions]),
      ...(tier === 'whole' ? wordTerms('paid', keys) : []),
    ])
  for (const round of ['first', 'again'])
    for (const tier of tiers) deepEqual(queryTerms(tier, words), hashed(tier), `${tier}, ${round}`)
})
