import { createHash } from 'node:crypto'
import { amountOf, type Post, type PostPatch } from '@pennypost/sdk'
import { readPrice } from '@pennypost/transfer/read-price'
import { CliError } from '../frame/cli-error.ts'
import { suggestions } from '../frame/suggest.ts'

// Facts of a front matter, and the fields of the API that they stand for. The names are those of the export.

export type Facts = Readonly<Record<string, unknown>>
export type Fields = Omit<PostPatch, 'priceRaw' | 'creationAttested'>

const texts = ['category', 'language', 'creationMethod', 'creationDetails', 'canonicalUrl'] as const
const switches = ['commentsEnabled', 'agentCommentsEnabled', 'searchPaidContent', 'math'] as const
/** Other names that writers use. */
const aliases: Readonly<Record<string, string>> = {
  summary: 'description',
  teaser: 'description',
  excerpt: 'description',
  lang: 'language',
  image: 'cover',
}
/** Fields that only the service sets, or that other commands use. */
const others = [
  'id',
  'revision',
  'status',
  'url',
  'slug',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'scheduledFor',
  'withdrawnAt',
  'importedAt',
  'oldSlugs',
  'readNext',
  'series',
  'cover',
  'images',
  'attachments',
  'paidFile',
]
const known = ['title', 'description', 'tags', 'price', 'paywall', ...texts, ...switches, ...others]

const wrong = (name: string, expected: string): CliError =>
  new CliError('failed', 'invalid-front-matter', `${name} in the front matter must be ${expected}.`)

/** The facts under the names that we use. */
export function namedFacts(facts: Facts): Facts {
  const named: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(facts)) {
    const ours = Object.hasOwn(aliases, name) ? aliases[name]! : name
    if (ours === name || !Object.hasOwn(facts, ours)) named[ours] = value
  }
  return named
}

/** Facts that look like a mistake in one of our names. */
export const misspelled = (facts: Facts): string[] =>
  Object.keys(facts).flatMap((name) => {
    const [close] = known.includes(name) ? [] : suggestions(name, known)
    return close === undefined ? [] : [`${name} in the front matter means nothing here. Did you mean ${close}?`]
  })

/** The fields that a file sets. What it does not name stays as it is; null or an empty value clears it. */
export function fieldsOf(facts: Facts, text: { title: string; free: string; paid: string | undefined }): Fields {
  const fields: Record<string, unknown> = {
    title: text.title,
    freeContentMarkdown: text.free,
    paidContentMarkdown: text.paid ?? '',
  }
  if ('description' in facts) fields.description = textOf(facts, 'description') ?? ''
  if ('tags' in facts) fields.tags = tagsOf(facts.tags)
  for (const name of texts) if (name in facts) fields[name] = textOf(facts, name) || null
  for (const name of switches) {
    if (!(name in facts)) continue
    if (typeof facts[name] !== 'boolean') throw wrong(name, 'true or false')
    fields[name] = facts[name]
  }
  return { ...fields, ...priceFields(facts, text.paid) } as Fields
}

function priceFields(facts: Facts, paid: string | undefined): Fields {
  const hasPaid = paid !== undefined && paid.trim() !== ''
  if ('paywall' in facts && typeof facts.paywall !== 'boolean') throw wrong('paywall', 'true or false')
  const paywall = facts.paywall as boolean | undefined
  if (!('price' in facts)) {
    // A text that was marked as paid is never sent as a free one.
    return paywall !== undefined ? { enablePaywall: paywall } : hasPaid ? { enablePaywall: true } : {}
  }
  const { price } = facts
  if (price === null || price === 0 || price === '' || price === 'free') return { enablePaywall: paywall ?? false }
  const found = typeof price === 'string' ? readPrice(price) : undefined
  if (found === undefined) throw wrong('price', 'an amount and a currency, such as 0.1 XNO or 0.25 USDC')
  return { enablePaywall: paywall ?? true, priceCurrency: found.currency, priceAtomic: found.atomic }
}

function textOf(facts: Facts, name: string): string | undefined {
  const value = facts[name]
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'string' && typeof value !== 'number') throw wrong(name, 'a text')
  return String(value)
}

function tagsOf(value: unknown): string[] {
  if (value === null || value === '') return []
  if (typeof value === 'string')
    return value
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
  if (Array.isArray(value) && value.every((tag) => typeof tag === 'string' || typeof tag === 'number'))
    return value.map(String)
  throw wrong('tags', 'a list of texts')
}

/** The fields of a post on the service, as a file would set them. */
export const fieldsOfPost = (post: Post): Required<Fields> => ({
  title: post.title,
  description: post.description,
  freeContentMarkdown: post.freeContentMarkdown,
  paidContentMarkdown: post.paidContentMarkdown,
  enablePaywall: post.enablePaywall,
  priceCurrency: post.priceCurrency,
  priceAtomic: post.priceAtomic,
  category: post.category as Fields['category'],
  language: post.language,
  creationMethod: post.creationMethod,
  creationDetails: post.creationDetails,
  tags: post.tags.map(({ name }) => name),
  commentsEnabled: post.commentsEnabled,
  agentCommentsEnabled: post.agentCommentsEnabled,
  math: post.math,
  canonicalUrl: post.canonicalUrl,
  searchPaidContent: post.searchPaidContent,
})

/** The fields of the file that differ from the post. Line breaks at the ends of a text do not count: editors add them. */
export function changesOf(file: Fields, post: Post): Fields {
  const current = fieldsOfPost(post) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(file).filter(([name, value]) => normal(name, value) !== normal(name, current[name])),
  ) as Fields
}

/** Identifies the content of a post, whatever else happened to it, such as its publication. */
export function contentHash(post: Post): string {
  const fields = Object.entries(fieldsOfPost(post)).map(([name, value]) => [name, normal(name, value)])
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

function normal(name: string, value: unknown): string {
  if (name === 'freeContentMarkdown' || name === 'paidContentMarkdown')
    return String(value ?? '').replaceAll(/^\n+|\n+$/g, '')
  if (name === 'tags')
    return JSON.stringify((value as string[]).map((tag) => tag.normalize('NFC').replaceAll(/\s+/g, ' ').trim()).sort())
  if (name === 'language' && typeof value === 'string') return canonical(value)
  if (typeof value === 'string') return JSON.stringify(value.trim() || null)
  return JSON.stringify(value ?? null)
}

function canonical(language: string): string {
  try {
    return JSON.stringify(Intl.getCanonicalLocales(language)[0] ?? language)
  } catch {
    return JSON.stringify(language)
  }
}

/** The facts that a pulled file has about a post. */
export const factsOfPost = (post: Post, series: string | undefined): Facts => ({
  id: post.id,
  revision: post.updatedAt,
  title: post.title,
  description: post.description,
  status: post.status,
  url: post.contentUrl,
  slug: post.slug,
  publishedAt: post.publishedAt,
  scheduledFor: post.scheduledFor,
  language: post.language,
  category: post.category,
  paywall: post.enablePaywall,
  price: post.priceCurrency && `${amountOf(post.priceCurrency, post.priceAtomic!)} ${post.priceCurrency}`,
  tags: post.tags.map(({ name }) => name).sort(),
  series,
  creationMethod: post.creationMethod,
  creationDetails: post.creationDetails,
  commentsEnabled: post.commentsEnabled,
  agentCommentsEnabled: post.agentCommentsEnabled,
  searchPaidContent: post.searchPaidContent,
  math: post.math,
  canonicalUrl: post.canonicalUrl,
})
