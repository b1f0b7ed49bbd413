import { validation } from '@pennypost/contract/errors'
import { markdownTooComplex, type PostInput } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { rendererVersion } from './markdown/render.ts'
import { MarkdownTooComplex, type Renderer } from './markdown/renderer.ts'
import type { PostChange } from './post-store.ts'
import { slugOf } from './slug.ts'

/** What an input changes about a row: words of the wire to columns, markdown rendered, null where null clears. */
export async function changeOf(renderer: Renderer, input: PostInput): Promise<PostChange> {
  return {
    ...(input.title !== undefined && { title: input.title, slug: slugOf(input.title) }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(await renderedParts(renderer, input)),
    ...(input.enablePaywall !== undefined && { has_paywall: input.enablePaywall }),
    ...priceOf(input),
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
    const { html, text } = await rendered(renderer, markdown, part)
    Object.assign(change, { [`${part}_markdown`]: markdown, [`${part}_html`]: html, [`${part}_text`]: text })
    change.renderer_version = rendererVersion
  }
  return change
}

async function rendered(renderer: Renderer, markdown: string, part: 'free' | 'paid') {
  try {
    return await renderer.render(markdown, part)
  } catch (error) {
    if (error instanceof MarkdownTooComplex) return refuse(markdownTooComplex)
    throw error
  }
}

/** A price is an amount and its currency, given together; `priceRaw` is another way to say XNO. */
function priceOf({
  priceCurrency,
  priceAtomic,
  priceRaw,
}: PostInput): Pick<PostChange, 'price_currency' | 'price_atomic'> {
  if (priceCurrency === undefined && priceAtomic === undefined && priceRaw === undefined) return {}
  const currency = priceCurrency ?? (priceRaw ? 'XNO' : null)
  const atomic = priceAtomic ?? (currency === 'XNO' ? priceRaw : null) ?? null
  if (priceRaw && (currency !== 'XNO' || atomic !== priceRaw))
    refuseField('priceRaw', 'conflict', 'disagrees with the other price fields')
  if (currency !== null && atomic === null) refuseField('priceAtomic', 'required', 'is required with priceCurrency')
  if (currency === null && atomic !== null) refuseField('priceCurrency', 'required', 'is required with priceAtomic')
  return { price_currency: currency, price_atomic: atomic }
}

const refuseField = (field: string, code: string, message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })
