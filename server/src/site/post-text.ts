import { categories } from '@pennypost/contract/categories'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import { oneLine } from '@pennypost/site/clean-text'
import { previewText as previewOf } from '@pennypost/site/components/post-list'
import { disclosureOf } from '../discovery/ai-disclosure.ts'
import type { PublicPostRow } from '../posts/catalog/public-post.ts'

// Texts about a post that pages, feeds and Markdown share.

type Priced = Pick<PublicPostRow, 'has_paywall' | 'price_currency' | 'price_atomic'>

/** The author's own price, such as `0.25 XNO`; undefined for a free post. Converted prices change daily, so none is here. */
export function formatPrice({ has_paywall, price_currency, price_atomic }: Priced): string | undefined {
  if (!has_paywall || price_currency === null || price_atomic === null) return undefined
  return `${formatAmount(price_currency, amountOf(price_currency, price_atomic))} ${price_currency}`
}

type Creation = Pick<PublicPostRow, 'creation_method' | 'creation_details'>

/** How the post was made, with the author's own details. */
export function disclosureText({ creation_method, creation_details }: Creation): string | undefined {
  const text = disclosureOf(creation_method)?.words
  return text && creation_details ? `${text} The author adds: ${oneLine(creation_details)}` : text
}

export const categoryName = (id: string | null): string | undefined => categories.find(([known]) => known === id)?.[1]

/** A preview without markup: the description, or the beginning of the post. */
export const previewText = ({ description, free_text }: Pick<PublicPostRow, 'description' | 'free_text'>): string =>
  previewOf({ description, freePreview: free_text })

/** When the post was last changed. */
export const updatedAt = ({ updated_us }: Pick<PublicPostRow, 'updated_us'>): Date =>
  new Date(Number(BigInt(updated_us) / 1000n))
