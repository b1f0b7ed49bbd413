import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/**
 * What a Post is found by. Every word is indexed by field, and by all fields that weigh less, so that one term answers
 * "in the title", "in title or description", "in those or the creator's names", "anywhere".
 */
export interface SearchableText {
  readonly title: string
  readonly description: string
  readonly name: string
  readonly handle: string
  readonly freeText: string
  readonly paidText: string
}

/** Where all words of a query are, the best first. */
export const tiers = ['title', 'described', 'credited', 'whole'] as const
export type Tier = (typeof tiers)[number]

/**
 * A Post with more different words than this is found by the first ones. Two parts of 200,000 characters in an alphabet
 * hold hardly more, and prose of that length a tenth. So many take a second to save, 0.8 MB beside the row and up to 5 MB
 * of the index; letters in random order of a script without spaces could make four times as many, and nobody reads those.
 */
const mostWords = 100_000
/** More than all that signs can make with neighbours of ASCII. */
const mostGrams = 40_000
const longestWord = 40
/** Hashed at a time, in some milliseconds. */
const slice = 10_000

/** Others have their turn in between: a text may be long. */
export async function searchTermsOf(text: SearchableText): Promise<string[]> {
  const title = wordsOf(text.title)
  const described = [...title, ...wordsOf(text.description)]
  const credited = [...described, ...wordsOf(text.name), ...wordsOf(text.handle), text.handle.toLowerCase()]
  const free = wordsOf(text.freeText)
  await setImmediate()
  const whole = [...new Set([...credited, ...free, ...wordsWithoutLetters(text.paidText)])].slice(0, mostWords)
  await setImmediate()
  const fields = [text.title, text.description, text.name, text.handle, text.freeText, text.paidText]
  const grams = [...new Set(fields.flatMap(gramsOf))].slice(0, mostGrams)
  const terms = new Set([
    ...wordTerms('title', title),
    ...wordTerms('described', described),
    ...wordTerms('credited', credited),
  ])
  for (const [all, hashed] of [
    [whole, (words: string[]) => wordTerms('whole', words)],
    [grams, literalTerms],
  ] as const) {
    for (let start = 0; start < all.length; start += slice) {
      await setImmediate()
      for (const term of hashed(all.slice(start, start + slice))) terms.add(term)
    }
  }
  return [...terms]
}

export const wordTerms = (tier: Tier, words: readonly string[]): string[] =>
  words.map((word) => termHash(`${tier}:${word}`))
export const literalTerms = (grams: readonly string[]): string[] => grams.map((gram) => termHash(`literal:${gram}`))
export const facetTerm = (facet: string): string => termHash(facet)

/** The same as `term_hash` in SQL. Sixty-four bits: two words of one service never meet. */
export const termHash = (term: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', term, 'hex').slice(0, 16)}`)).toString()

/** The different words of a text: case and accents do not matter, and nothing is guessed about grammar. */
export const wordsOf = (text: string): string[] => splitWords(text, (run) => [...run, ...pairsOf(run)])

/**
 * The same without the single letters of texts that have no spaces between words, only pairs. Who may not read a text
 * should not be told its letters one by one.
 */
export const wordsWithoutLetters = (text: string): string[] => splitWords(text, pairsOf)

function splitWords(text: string, partsOf: (unspacedRun: string) => string[]): string[] {
  const words = new Set<string>()
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const part of run.split(unspacedRuns)) {
      if (part === '') continue
      if (!isUnspaced(part)) words.add(part.slice(0, longestWord))
      else for (const gram of partsOf(part)) words.add(gram)
    }
  }
  return [...words]
}

/** The words a query needs: of a text without spaces between words, pairs of letters are enough. */
export function queryWordsOf(query: string): string[] {
  const words = wordsOf(query)
  const pairs = words.filter((word) => isUnspaced(word) && [...word].length > 1)
  return words.filter((word) => !isUnspaced(word) || pairs.includes(word) || !pairs.some((pair) => pair.includes(word)))
}

/** Without case and accents. Composed again: a mark that makes another letter, as in Japanese, stays with it. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')

// Scripts that write words without spaces between them.
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const unspacedRuns = new RegExp(`([${unspaced}]+)`, 'u')
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u')
const isUnspaced = (part: string) => startsUnspaced.test(part)

function pairsOf(run: string): string[] {
  const letters = [...run]
  return letters.slice(1).map((letter, index) => letters[index]! + letter)
}

/** §4: a query with one of these is looked for as it stands. */
export const isLiteral = (query: string): boolean => /[%_/\\]/.test(query)

/** What a text with such characters can be found by: each of them, with the letter before it, after it, and both. */
function gramsOf(text: string): string[] {
  const grams = new Set<string>()
  for (const { before, sign, after } of literalSignsOf(text)) {
    grams.add(sign)
    if (before) grams.add(before + sign)
    if (after) grams.add(sign + after)
    if (before && after) grams.add(before + sign + after)
  }
  return [...grams]
}

/** What a text must be found by to hold this query: the longest piece around each such character. */
export const queryGramsOf = (query: string): string[] => [
  ...new Set([...literalSignsOf(query)].map(({ before, sign, after }) => before + sign + after)),
]

function* literalSignsOf(text: string): Generator<{ before: string; sign: string; after: string }> {
  const letters = [...text.toLowerCase()]
  for (const [index, sign] of letters.entries()) {
    if (isLiteral(sign)) yield { before: letters[index - 1] ?? '', sign, after: letters[index + 1] ?? '' }
  }
}
