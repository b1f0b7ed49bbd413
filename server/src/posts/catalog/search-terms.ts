import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../../platform/entries-at-most.ts'
import type { Stems } from './stemming.ts'

/**
 * The text by which a post is found. A word is indexed for the tier of its field and for all wider tiers, so that one
 * term is enough to search "in the title", "in title or description", "in those or the author's names" or "in public
 * text". Words of the paid text have terms of their own: the last word of a query is completed in public text only.
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

/** The terms of a post, and the words of its public text. */
export interface Indexed {
  readonly terms: string[]
  readonly publicWords: readonly KeyedWord[]
}

/**
 * Computes the search terms of a post. `stemsOf` finds the stems of words in its language, if that has a stemmer. Yields
 * to the event loop in between, because the text may be long.
 */
export async function searchTermsOf(
  text: SearchableText,
  stemsOf: (words: readonly string[]) => Promise<Stems | undefined>,
): Promise<Indexed> {
  // First what waits to be sent to the database, which then works at the same time.
  await setImmediate()
  const [title, description] = [readWords(text.title), readWords(text.description)]
  const free = readWords(text.freeText)
  await setImmediate()
  const paid = { ...readWords(text.paidText), folded: paidWordsOf(text.paidText) }
  const all = new Set([title, description, free, paid].flatMap(({ folded, accented }) => [...folded, ...accented]))
  const keyed = keyMaker(await stemsOf([...all].filter((word) => !isUnspaced(word))))
  const titleWords = keyed(title)
  const describedWords = [...titleWords, ...keyed(description)]
  // Names are not words of the post's language, so they are not stemmed.
  const names = [...wordsOf(text.name), ...wordsOf(text.handle), text.handle.toLowerCase()]
  const credited = [...keysOf(describedWords), ...names]
  const freeWords = keyed(free)
  const whole = [...new Set([...credited, ...keysOf(freeWords)])].slice(0, maxWords)
  await setImmediate()
  const isPublic = new Set(whole)
  const paidOnly = [...new Set(keyed(paid).flatMap(paidKeyOf))].filter((key) => !isPublic.has(key))
  // Not the paid text: literal queries could be used to read it out.
  const fields = [text.title, text.description, text.name, text.handle, text.freeText]
  const grams = [...new Set(fields.flatMap(gramsOf))].slice(0, maxGrams)
  const terms = new Set([
    ...wordTerms('title', keysOf(titleWords)),
    ...wordTerms('described', keysOf(describedWords)),
    ...wordTerms('credited', credited),
  ])
  for (const [all, hashed] of [
    [whole, wholeTerms],
    [paidOnly.slice(0, maxWords - whole.length), (keys: string[]) => wordTerms('paid', keys)],
    [grams, literalTerms],
  ] as const) {
    for (let start = 0; start < all.length; start += slice) {
      await setImmediate()
      for (const term of hashed(all.slice(start, start + slice))) terms.add(term)
    }
  }
  const publicWords = [...describedWords, ...names.map((name): KeyedWord => [name, name]), ...freeWords]
  return { terms: [...terms], publicWords: publicWords.filter(([word]) => canComplete(word)) }
}

/** A word without case and accents, and what it is indexed by. */
export type KeyedWord = readonly [word: string, key: string]

const keysOf = (words: readonly KeyedWord[]): string[] => words.map(([, key]) => key)

interface Words {
  /** Without case and accents. */
  readonly folded: readonly string[]
  /** The words with accents, with them. Stemmers know the endings of a language by its accents. */
  readonly accented: readonly string[]
}

const readWords = (text: string): Words => ({ folded: wordsOf(text), accented: accentedWordsOf(text) })

/**
 * A word is indexed under a key: the word, or its stem if the language has a stemmer. A word with accents has two keys, because
 * readers may type it with or without them.
 */
const keyMaker =
  (stems: Stems | undefined) =>
  ({ folded, accented }: Words): KeyedWord[] =>
    stems === undefined
      ? folded.map((word) => [word, word])
      : [
          ...folded.map((word): KeyedWord => [word, isUnspaced(word) ? word : stemKey(stems, word)]),
          ...accented.map((word): KeyedWord => [fold(word), stemKey(stems, word)]),
        ]

/** Marked with the language: the same stem in two languages is not the same word. */
const stemKey = ({ stemmer, byWord }: Stems, word: string): string => `${stemmer}~${fold(byWord.get(word) ?? word)}`

/**
 * A stemmer may reduce a word to a number, such as 4711s to 4711. Numbers of a paid text must not be searchable, so such a
 * word is its own key.
 */
const paidKeyOf = ([word, key]: KeyedWord): string[] => {
  if (isNumber(word)) return []
  return isNumber(key.slice(key.indexOf('~') + 1)) ? [word] : [key]
}

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word)

interface Described {
  readonly title: string
  readonly description: string
}

/** The words of a title and a description to find the stems of. */
export const wordsOfTitleAndDescription = ({ title, description }: Described): string[] =>
  [readWords(title), readWords(description)]
    .flatMap(({ folded, accented }) => [...folded, ...accented])
    .filter((word) => !isUnspaced(word))

/** The terms of a post for words "in title or description": those of `searchTermsOf` for that tier. */
export function describedTerms({ title, description }: Described, stems: Stems | undefined): string[] {
  const keyed = keyMaker(stems)
  return [...new Set(wordTerms('described', keysOf([...keyed(readWords(title)), ...keyed(readWords(description))])))]
}

/** The terms by which posts with words of this title in title or description are found, in all their forms. */
export const titleTerms = (title: string, stems: Stems | undefined): string[] =>
  queryWords(title, stems ? [stems] : []).flatMap(({ keys }) => wordTerms('described', keys))

/** A word of a query. A post has it if it has one of the keys, or in its public text one of the completions. */
export interface QueryWord {
  readonly keys: readonly string[]
  readonly completions: readonly string[]
}

/** The words that a post must have to match a query, with their stems in each of these languages. */
export function queryWords(query: string, languages: readonly Stems[]): QueryWord[] {
  const accented = accentedWordsOf(query)
  return queryWordsOf(query).map((word) => {
    const spellings = [word, ...accented.filter((spelling) => fold(spelling) === word)]
    const stems = isUnspaced(word)
      ? []
      : languages.flatMap((stems) => spellings.map((spelling) => stemKey(stems, spelling)))
    return { keys: [...new Set([word, ...stems])], completions: [] }
  })
}

/** The words of a query to find the stems of. */
export const wordsToStem = (query: string): string[] => [
  ...queryWordsOf(query).filter((word) => !isUnspaced(word)),
  ...accentedWordsOf(query),
]

/** The last word of a query if it may be the beginning of a longer one. */
export function lastWordOf(query: string): string | undefined {
  const last = [...fold(query).matchAll(/[\p{L}\p{N}\p{M}]+/gu)].at(-1)?.[0].split(unspacedRuns).at(-1)
  return last !== undefined && last.length >= 2 && last.length < longestWord ? last : undefined
}

const canComplete = (word: string): boolean => word.length > 2 && !isUnspaced(word)

/** The terms of a word in each tier that was asked for, with commas in between: an array of them takes more than twice the memory. */
type KnownTerms = Partial<Record<Tier, string>>

const bytesOfTerm = 21

/**
 * The terms of words that were searched for, by their keys, up to two megabytes. Hashing those of three words, with their stems and
 * completions in each tier, takes a good third of a millisecond.
 */
const knownQueryTerms = new LRUCache<string, KnownTerms>({
  maxSize: 2_000_000,
  // As if all tiers had been asked for.
  sizeCalculation: (_, name) => 200 + name.length + tiers.length * bytesOfTerm * name.split(' ').length,
})

/** So that the name of a word is put together once for each search. */
const knownOfWord = new WeakMap<QueryWord, KnownTerms>()

function knownTermsOf(word: QueryWord): KnownTerms {
  const ofWord = knownOfWord.get(word)
  if (ofWord !== undefined) return ofWord
  // No key has a space or a slash in it.
  const name = `${word.keys.join(' ')}/${word.completions.join(' ')}`
  let known = knownQueryTerms.get(name)
  if (known === undefined) {
    known = {}
    knownQueryTerms.set(name, known)
  }
  knownOfWord.set(word, known)
  return known
}

/** The terms of these words in a tier, each list as one text with commas. A post must have at least one term of each. */
export const queryTerms = (tier: Tier, words: readonly QueryWord[]): string[] =>
  words.map((word) => {
    const known = knownTermsOf(word)
    known[tier] ??= termsOf(tier, word).join()
    return known[tier]
  })

const termsOf = (tier: Tier, { keys, completions }: QueryWord): string[] => [
  ...wordTerms(tier, [...new Set([...keys, ...completions])]),
  ...(tier === 'whole' ? wordTerms('paid', keys) : []),
]

export const wordTerms = (tier: Tier | 'paid', keys: readonly string[]): string[] =>
  keys.map((key) => termHash(`${tier}:${key}`))

/** Hashing the words of a text takes a third of the time of finding its terms, and most of them are in other texts, too. */
const knownWholeTerms = new LRUCache<string, string>(entriesAtMost(20_000))

function wholeTerms(keys: readonly string[]): string[] {
  return keys.map((key) => {
    const known = knownWholeTerms.get(key)
    if (known !== undefined) return known
    const [term] = wordTerms('whole', [key])
    knownWholeTerms.set(key, term!)
    return term!
  })
}

export const literalTerms = (grams: readonly string[]): string[] => grams.map((gram) => termHash(`literal:${gram}`))
export const facetTerm = (facet: string): string => termHash(facet)

/** Does the same as `term_hash` in SQL. With 64 bits, collisions between words are practically impossible. */
export const termHash = (term: string): string =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', term, 'hex').slice(0, 16)}`)).toString()

/** The distinct words of a text, without case and accents. */
export const wordsOf = (text: string): string[] => splitWords(text, (run) => [...run, ...pairsOf(run)])

/**
 * The words of a paid text by which it can be found. Readers who have not paid must not find it out by guessing, so this
 * leaves out what is easy to guess: single letters of scripts without spaces (their pairs stay), and bare numbers.
 */
const paidWordsOf = (text: string): string[] => splitWords(text, pairsOf).filter((word) => !isNumber(word))

/** The distinct words of a text that have accents, with them. */
function accentedWordsOf(text: string): string[] {
  if (isAscii(text)) return []
  const words = new Set<string>()
  for (const [word] of text
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    if (hasOther.test(word) && word.length <= longestWord && fold(word) !== word && !isUnspaced(word)) words.add(word)
  return [...words].map(detached)
}

const hasOther = /[^a-z0-9]/

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

function splitWords(text: string, partsOf: (unspacedRun: string) => string[]): string[] {
  const words = new Set<string>()
  // Most of what is published, and many times as quick.
  if (isAscii(text)) {
    for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) words.add(word.slice(0, longestWord))
    return [...words].map(detached)
  }
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const part of run.split(unspacedRuns)) {
      if (part === '') continue
      if (!isUnspaced(part)) words.add(part.slice(0, longestWord))
      else for (const gram of partsOf(part)) words.add(gram)
    }
  }
  return [...words].map(detached)
}

/**
 * Copies a word out of its text. V8 copies up to 12 letters when it cuts a text, but a longer word refers to the whole text, and
 * would keep it in memory while it is in a cache.
 */
const detached = (word: string): string => (word.length > 12 ? ` ${word}`.slice(1) : word)

/** The words that a post must contain to match a query. For scripts without spaces, pairs of letters are enough. */
function queryWordsOf(query: string): string[] {
  const words = wordsOf(query)
  const pairs = words.filter((word) => isUnspaced(word) && [...word].length > 1)
  return words.filter((word) => !isUnspaced(word) || pairs.includes(word) || !pairs.some((pair) => pair.includes(word)))
}

/**
 * Removes case and accents. Composes the rest again, so that a mark that makes another letter, as in Japanese, is kept.
 */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .toLowerCase()
        .normalize('NFC')

// Scripts that don't put spaces between words.
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const unspacedRuns = new RegExp(`([${unspaced}]+)`, 'u')
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u')
// All of them are beyond ASCII, so most words need no regular expression.
const isUnspaced = (part: string) => part.charCodeAt(0) > 0x7f && startsUnspaced.test(part)

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
  // Most texts have none.
  if (!isLiteral(text)) return
  const letters = [...text.toLowerCase()]
  for (const [index, sign] of letters.entries()) {
    if (isLiteral(sign)) yield { before: letters[index - 1] ?? '', sign, after: letters[index + 1] ?? '' }
  }
}
