import { createHash } from 'node:crypto'

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

/** A Post with more different words than this is found by the first ones. */
const mostWords = 10_000
const longestWord = 40

export function termsOf(text: SearchableText): string[] {
  const title = wordsOf(text.title)
  const described = [...title, ...wordsOf(text.description)]
  const credited = [...described, ...wordsOf(text.name), ...wordsOf(text.handle), text.handle.toLowerCase()]
  const body = [...wordsOf(text.freeText), ...wordsOf(text.paidText)]
  const whole = [...new Set([...credited, ...body])].slice(0, mostWords)
  const literal = [text.title, text.description, text.name, text.handle, text.freeText, text.paidText].flatMap(gramsOf)
  return [
    ...new Set([
      ...wordTerms('title', title),
      ...wordTerms('described', described),
      ...wordTerms('credited', credited),
      ...wordTerms('whole', whole),
      ...literalTerms(literal).slice(0, mostWords),
    ]),
  ]
}

export const wordTerms = (tier: Tier, words: readonly string[]): string[] =>
  words.map((word) => termHash(`${tier}:${word}`))
export const literalTerms = (grams: readonly string[]): string[] => grams.map((gram) => termHash(`literal:${gram}`))
export const facetTerm = (facet: string): string => termHash(facet)

/** The same as `term_hash` in SQL. Sixty-four bits: two words of one service never meet. */
export const termHash = (term: string): string =>
  createHash('sha256').update(term).digest().readBigInt64BE(0).toString()

/** The different words of a text: case and accents do not matter, and nothing is guessed about grammar. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const part of run.split(unspacedRuns)) {
      if (part === '') continue
      if (!isUnspaced(part)) words.add(part.slice(0, longestWord))
      else for (const gram of pairsOf(part)) words.add(gram)
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
  return [...letters, ...letters.slice(1).map((letter, index) => letters[index]! + letter)]
}

/** §4: a query with one of these is looked for as it stands. */
export const isLiteral = (query: string): boolean => /[%_/\\]/.test(query)

/** What a text with such characters can be found by: each of them, with the letter before it, after it, and both. */
function gramsOf(text: string): string[] {
  const grams = new Set<string>()
  for (const { before, sign, after } of signsOf(text)) {
    grams.add(sign)
    if (before) grams.add(before + sign)
    if (after) grams.add(sign + after)
    if (before && after) grams.add(before + sign + after)
  }
  return [...grams]
}

/** What a text must be found by to hold this query: the longest piece around each such character. */
export const queryGramsOf = (query: string): string[] => [
  ...new Set([...signsOf(query)].map(({ before, sign, after }) => before + sign + after)),
]

function* signsOf(text: string): Generator<{ before: string; sign: string; after: string }> {
  const letters = [...text.toLowerCase()]
  for (const [index, sign] of letters.entries()) {
    if (isLiteral(sign)) yield { before: letters[index - 1] ?? '', sign, after: letters[index + 1] ?? '' }
  }
}
