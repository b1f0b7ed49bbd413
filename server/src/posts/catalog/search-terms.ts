import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/**
 * The text by which a post is found. A word is indexed for the tier of its field and for all wider tiers, so that one
 * term is enough to search "in the title", "in title or description", "in those or the author's names" or "anywhere".
 */
export interface SearchableText {
  readonly title: string
  readonly description: string
  readonly name: string
  readonly handle: string
  readonly freeText: string
  readonly paidText: string
}

/** The tiers in which all words of a query can be found, best first. */
export const tiers = ['title', 'described', 'credited', 'whole'] as const
export type Tier = (typeof tiers)[number]

/**
 * Most distinct words that are indexed for one post; it is not found by later ones. Two parts of 200,000 characters in an
 * alphabetic script hardly hold more, and prose of that length a tenth. This many take a second to save, 0.8 MB beside
 * the row and up to 5 MB of the index. Random letters of a script without spaces could give four times as many.
 */
const maxWords = 100_000
/** Most literal grams for one post: more than all combinations of the signs with ASCII neighbours. */
const maxGrams = 40_000
const longestWord = 40
/** Terms hashed in one go, which takes a few milliseconds. */
const slice = 10_000

/** Computes the search terms of a post. Yields to the event loop in between, because the text may be long. */
export async function searchTermsOf(text: SearchableText): Promise<string[]> {
  const title = wordsOf(text.title)
  const described = [...title, ...wordsOf(text.description)]
  const credited = [...described, ...wordsOf(text.name), ...wordsOf(text.handle), text.handle.toLowerCase()]
  const free = wordsOf(text.freeText)
  await setImmediate()
  const whole = [...new Set([...credited, ...free, ...paidWordsOf(text.paidText)])].slice(0, maxWords)
  await setImmediate()
  // Not the paid text: literal queries could be used to read it out.
  const fields = [text.title, text.description, text.name, text.handle, text.freeText]
  const grams = [...new Set(fields.flatMap(gramsOf))].slice(0, maxGrams)
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

/** Does the same as `term_hash` in SQL. With 64 bits, collisions between words are practically impossible. */
export const termHash = (term: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', term, 'hex').slice(0, 16)}`)).toString()

/** The distinct words of a text, without case and accents. There is no stemming. */
export const wordsOf = (text: string): string[] => splitWords(text, (run) => [...run, ...pairsOf(run)])

/**
 * The words of a paid text by which it can be found. Readers who have not paid must not find it out by guessing, so this
 * leaves out what is easy to guess: single letters of scripts without spaces (their pairs stay), and bare numbers.
 */
export const paidWordsOf = (text: string): string[] =>
  splitWords(text, pairsOf).filter((word) => !/^\p{N}+$/u.test(word))

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

/** The words that a post must contain to match a query. For scripts without spaces, pairs of letters are enough. */
export function queryWordsOf(query: string): string[] {
  const words = wordsOf(query)
  const pairs = words.filter((word) => isUnspaced(word) && [...word].length > 1)
  return words.filter((word) => !isUnspaced(word) || pairs.includes(word) || !pairs.some((pair) => pair.includes(word)))
}

/**
 * Removes case and accents. Composes the rest again, so that a mark that makes another letter, as in Japanese, is kept.
 */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')

// Scripts that don't put spaces between words.
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const unspacedRuns = new RegExp(`([${unspaced}]+)`, 'u')
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u')
const isUnspaced = (part: string) => startsUnspaced.test(part)

function pairsOf(run: string): string[] {
  const letters = [...run]
  return letters.slice(1).map((letter, index) => letters[index]! + letter)
}

/** A query that contains one of these characters is searched for literally. */
export const isLiteral = (query: string): boolean => /[%_/\\]/.test(query)

/** The grams by which literal queries find a text: each of these characters alone, and with the letters next to it. */
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

/** The grams that a text must have to contain this query: each of these characters with the letters next to it. */
export const queryGramsOf = (query: string): string[] => [
  ...new Set([...literalSignsOf(query)].map(({ before, sign, after }) => before + sign + after)),
]

function* literalSignsOf(text: string): Generator<{ before: string; sign: string; after: string }> {
  const letters = [...text.toLowerCase()]
  for (const [index, sign] of letters.entries()) {
    if (isLiteral(sign)) yield { before: letters[index - 1] ?? '', sign, after: letters[index + 1] ?? '' }
  }
}
