import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { queryTerms, type Tier, tiers, wordTerms } from './search-terms.ts'

test('the terms of a word are those of its tier, its keys and its completions, also when it is searched for again', () => {
  const words = [
    { keys: ['engine'], completions: [] },
    { keys: ['engine', 'english~engin'], completions: [] },
    { keys: ['engine'], completions: ['english~engin'] },
    { keys: ['engine'], completions: ['english~engin', 'engineer'] },
  ]
  const hashed = (tier: Tier) =>
    words.map(({ keys, completions }) =>
      [...wordTerms(tier, [...keys, ...completions]), ...(tier === 'whole' ? wordTerms('paid', keys) : [])].join(),
    )
  // Every search has new objects for its words.
  for (const round of ['first', 'again', 'in another search'])
    for (const tier of tiers) {
      const asked = round === 'in another search' ? words.map((word) => ({ ...word })) : words
      deepEqual(queryTerms(tier, asked), hashed(tier), `${tier}, ${round}`)
    }
})

/** Indexes ten texts of 200,000 characters with a long word each, and prints how many bytes of memory its words keep. */
const program = `
const { searchTermsOf } = await import(process.argv[1])
const word = process.argv[2]
const heapBytes = () => {
  gc()
  return process.memoryUsage().heapUsed
}
const kept = []
const before = heapBytes()
for (const last of 'abcdefghij') {
  const text = { title: '', description: '', name: 'Ada', handle: 'ada', paidText: '', freeText: '. '.repeat(100_000) + word + last }
  const { publicWords } = await searchTermsOf(text, async (words) => {
    kept.push(words)
    return undefined
  })
  kept.push(publicWords)
}
console.log(heapBytes() - before, kept.length)`

// V8 does not copy a part of a text: it refers to the whole one. Words are kept in caches, long after the texts are gone.
for (const [alphabet, word] of [
  ['Latin', 'counterrevolution'],
  ['accented Latin', 'contrerévolutionnaire'],
  ['Cyrillic', 'контрреволюционер'],
] as const)
  test(`words that are kept do not keep their texts in memory: ${alphabet}`, async () => {
    // In a process of its own: collecting the garbage of many tests takes seconds.
    const { href } = new URL('./search-terms.js', import.meta.url)
    const alone = ['--expose-gc', '--input-type=module', '-e', program, href, word]
    const { stdout } = await promisify(execFile)(process.execPath, alone)
    const [grownBytes, lists] = stdout.split(' ').map(Number)
    equal(lists, 20)
    ok(grownBytes! < 1_000_000, `${lists} lists of words keep ${grownBytes} bytes`)
  })
