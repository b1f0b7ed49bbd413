import { amountOf, formatAmount } from '@pennypost/contract/money'
import { categories } from '@pennypost/contract/posts'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'
import { oneLine } from './legible.ts'

// What pages, feeds and twins say about a Post in words.

type Priced = Pick<PublicPostRow, 'has_paywall' | 'price_currency' | 'price_atomic'>

/** The author's own price, such as `0.25 XNO`; undefined for what is free. What it is in another currency changes daily. */
export function priceWords({ has_paywall, price_currency, price_atomic }: Priced): string | undefined {
  if (!has_paywall || price_currency === null || price_atomic === null) return undefined
  return `${formatAmount(price_currency, amountOf(price_currency, price_atomic))} ${price_currency}`
}

type Made = Pick<PublicPostRow, 'creation_method' | 'creation_details'>

/** How it was made, and what the author adds to that. */
export function disclosureWords({ creation_method, creation_details }: Made): string | undefined {
  const words = disclosureOf(creation_method)?.words
  return words && creation_details ? `${words} The author adds: ${oneLine(creation_details)}` : words
}

export const categoryWords = (id: string | null): string | undefined => categories.find(([known]) => known === id)?.[1]

/** Text for a preview that knows no markup: what the author wrote for it, or how the Post begins. */
export const summaryWords = ({ description, free_text }: Pick<PublicPostRow, 'description' | 'free_text'>): string =>
  oneLine(description === '' ? free_text : description)

// Our words are English, and a page has a hundred dates: no library of calendars is asked.
const months = 'January February March April May June July August September October November December'.split(' ')

/** @example dateWords(new Date('2026-01-31T12:00:05Z')) // '31 January 2026' */
export const dateWords = (date: Date): string =>
  `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`

/** When it was changed last. */
export const updatedAt = ({ updated_us }: Pick<PublicPostRow, 'updated_us'>): Date =>
  new Date(Number(BigInt(updated_us) / 1000n))
