import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { queryTerms, searchTermsOf, type Tier, tiers, wordTerms } from './search-terms.ts'

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

// V8 does not copy a part of a text: it refers to the whole one. Words are kept in caches, long after the texts are gone.
for (const [alphabet, word] of [
  ['Latin', 'counterrevolution'],
  ['accented Latin', 'contrerévolutionnaire'],
  ['Cyrillic', 'контрреволюционер'],
])
  test(`words that are kept do not keep their texts in memory: ${alphabet}`, async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heapBytes = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const kept: unknown[] = []
    const before = heapBytes()
    for (let count = 0; count < 10; count += 1) {
      const text = { title: '', description: '', name: 'Ada', handle: 'ada', paidText: '' }
      const freeText = `${'. '.repeat(100_000)}${word}${'abcdefghijklmnopqrst'[count]}`
      const { publicWords } = await searchTermsOf({ ...text, freeText }, async (words) => {
        kept.push(words)
        return undefined
      })
      kept.push(publicWords)
    }
    const grownBytes = heapBytes() - before
    ok(grownBytes < 1_000_000, `${kept.length} lists of words keep ${grownBytes} bytes`)
  })
