import { validation } from '@pennypost/contract/errors'
import { markdownTooComplex, type PostInput } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { MarkdownTooComplex, type Renderer } from './markdown/renderer.ts'
import { rendererVersion } from './markdown/renderer-version.ts'
import type { PostChange, PostRow } from './post-store.ts'
import { slugOf } from './slug.ts'

/** What an input changes about a row, but for the price: words of the wire to columns, markdown rendered, null where null clears. */
export async function changeOf(renderer: Renderer, input: PostInput): Promise<PostChange> {
  return {
    ...(input.title !== undefined && { title: input.title, slug: slugOf(input.title) }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(await renderedParts(renderer, input)),
    ...(input.enablePaywall !== undefined && { has_paywall: input.enablePaywall }),
    ...(input.category !== undefined && { category: input.category }),
    ...(input.language !== undefined && { language: input.language }),
    ...(input.creationMethod !== undefined && { creation_method: input.creationMethod }),
    ...(input.creationDetails !== undefined && { creation_details: input.creationDetails || null }),
    ...(input.creationAttested !== undefined && { creation_attested: input.creationAttested }),
    ...(input.commentsEnabled !== undefined && { comments_enabled: input.commentsEnabled }),
    ...(input.agentCommentsEnabled !== undefined && { agent_comments_enabled: input.agentCommentsEnabled }),
  }
}

async function renderedParts(renderer: Renderer, input: PostInput): Promise<PostChange> {
  const change: PostChange = {}
  for (const part of ['free', 'paid'] as const) {
    const given = input[`${part}ContentMarkdown`]
    if (given === undefined) continue
    const markdown = given ?? ''
    const { html, text } = await renderedPart(renderer, markdown, part)
    Object.assign(change, { [`${part}_markdown`]: markdown, [`${part}_html`]: html, [`${part}_text`]: text })
    change.renderer_version = rendererVersion
  }
  return change
}

/** Refuses what takes too long to render. */
export async function renderedPart(renderer: Renderer, markdown: string, part: 'free' | 'paid') {
  try {
    return await renderer.render(markdown, part)
  } catch (error) {
    if (error instanceof MarkdownTooComplex) return refuse(markdownTooComplex)
    throw error
  }
}

type SavedPrice = Pick<PostRow, 'price_currency' | 'price_atomic'>

/** All the Nano there is, in raw: nobody could pay more. */
const nanoSupply = 133_248_297_920_938_463_463_374_607_431_768_211_455n

/**
 * The price after an edit: what is left out stays as saved. An amount is of a currency, so a new currency needs a new
 * amount, and clearing one clears both; `priceRaw` is another way to say XNO.
 */
export function priceAfter({ priceCurrency, priceAtomic, priceRaw }: PostInput, saved: SavedPrice): SavedPrice {
  if (priceCurrency === undefined && priceAtomic === undefined && priceRaw === undefined) {
    return { price_currency: saved.price_currency, price_atomic: saved.price_atomic }
  }
  if (priceCurrency === null || priceAtomic === null || priceRaw === null)
    return cleared(priceCurrency, priceAtomic, priceRaw)
  const currency = priceCurrency ?? saved.price_currency ?? (priceRaw === undefined ? null : 'XNO')
  if (priceRaw !== undefined && (currency !== 'XNO' || (priceAtomic !== undefined && priceAtomic !== priceRaw))) {
    refuseField('priceRaw', 'conflict', 'disagrees with the other price fields')
  }
  if (currency === null) return refuseField('priceCurrency', 'required', 'is required with priceAtomic')
  const kept = currency === saved.price_currency ? saved.price_atomic : null
  const atomic =
    priceAtomic ?? priceRaw ?? kept ?? refuseField('priceAtomic', 'required', 'is required with priceCurrency')
  if (currency === 'XNO' && BigInt(atomic) > nanoSupply)
    refuseField('priceAtomic', 'too_big', 'is more than all the Nano there is')
  return { price_currency: currency, price_atomic: atomic }
}

function cleared(...given: (string | null | undefined)[]): SavedPrice {
  if (given.some((part) => typeof part === 'string'))
    refuseField('priceAtomic', 'conflict', 'disagrees with the other price fields')
  return { price_currency: null, price_atomic: null }
}

const refuseField = (field: string, code: string, message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })
