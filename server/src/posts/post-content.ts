import { rateLimited, temporarilyUnavailable, validation } from '@pennypost/contract/errors'
import type { PostInput } from '@pennypost/contract/post-fields'
import { markdownTooComplex } from '@pennypost/contract/posts'
import { QueueFull } from '../platform/fair-queue.ts'
import { refuse } from '../platform/http/refuse.ts'
import { MachineBusy } from '../platform/work-limit.ts'
import { nanoRail } from '../rails/nano/nano-rail.ts'
import { mayHaveFootnotes } from './markdown/may-have-footnotes.ts'
import type { Part } from './markdown/post-env.ts'
import type { Rendered, RenderOptions } from './markdown/render.ts'
import { MarkdownTooComplex, NobodyWaits, type Renderer, type Sender } from './markdown/renderer.ts'
import { rendererVersion } from './markdown/renderer-version.ts'
import type { PostChange, PostRow } from './post-store.ts'
import { priceRaw as priceRawOf } from './post-view.ts'
import { slugOf } from './slug.ts'

const retryFullQueueSeconds = 5

type SavedParts = Pick<PostRow, 'free_markdown' | 'paid_markdown' | 'math'>

/** Translates an input into changed columns, except the price. Renders Markdown; null clears a field. */
export async function postChangeOf(
  renderer: Renderer,
  sender: Sender,
  input: PostInput,
  saved: SavedParts,
): Promise<PostChange> {
  return {
    ...(input.title !== undefined && { title: input.title, slug: slugOf(input.title) }),
    ...(input.description !== undefined && { description: input.description ?? '' }),
    ...(await renderParts(renderer, sender, input, saved)),
    ...(input.enablePaywall !== undefined && { has_paywall: input.enablePaywall }),
    ...(input.category !== undefined && { category: input.category }),
    ...(input.language !== undefined && { language: input.language }),
    ...(input.creationMethod !== undefined && { creation_method: input.creationMethod }),
    ...(input.creationDetails !== undefined && { creation_details: input.creationDetails || null }),
    ...(input.creationAttested !== undefined && { creation_attested: input.creationAttested }),
    ...(input.commentsEnabled !== undefined && { comments_enabled: input.commentsEnabled }),
    ...(input.agentCommentsEnabled !== undefined && { agent_comments_enabled: input.agentCommentsEnabled }),
    ...(input.canonicalUrl !== undefined && { canonical_url: input.canonicalUrl }),
    ...(input.searchPaidContent !== undefined && { search_paid_content: input.searchPaidContent }),
  }
}

/** Renders the parts that are given, and the other one too if footnotes may link it to them. */
async function renderParts(
  renderer: Renderer,
  sender: Sender,
  { freeContentMarkdown: free, paidContentMarkdown: paid, math }: PostInput,
  saved: SavedParts,
): Promise<PostChange> {
  if (free === undefined && paid === undefined && math === undefined) return {}
  const change: PostChange = {}
  if (free !== undefined) change.free_markdown = free ?? ''
  if (paid !== undefined) change.paid_markdown = paid ?? ''
  if (math !== undefined) change.math = math
  const after = { ...saved, ...change }
  const isWholePost = areLinkedByFootnotes(saved) || areLinkedByFootnotes(after) || saved.math !== after.math
  const parts = (['free', 'paid'] as const).filter((part) => isWholePost || change[`${part}_markdown`] !== undefined)
  const rendered = await renderPost(after, parts, (markdown, options) =>
    renderPart(renderer, sender, markdown, options),
  )
  return { ...change, ...rendered }
}

type Render = (markdown: string, options: RenderOptions) => Promise<Pick<Rendered, 'html' | 'text'>>

/** The columns with what was rendered of a post, for these parts. */
export async function renderPost(
  post: SavedParts,
  parts: readonly Part[],
  render: Render,
): Promise<Pick<PostChange, 'free_html' | 'free_text' | 'paid_html' | 'paid_text' | 'renderer_version'>> {
  const columns: PostChange = { renderer_version: rendererVersion }
  const areLinked = areLinkedByFootnotes(post)
  for (const part of parts) {
    const other = areLinked ? post[part === 'free' ? 'paid_markdown' : 'free_markdown'] : ''
    const { html, text } = await render(post[`${part}_markdown`], { part, other, math: post.math })
    Object.assign(columns, { [`${part}_html`]: html, [`${part}_text`]: text })
  }
  return columns
}

const areLinkedByFootnotes = ({ free_markdown, paid_markdown }: SavedParts): boolean =>
  mayHaveFootnotes(free_markdown) && mayHaveFootnotes(paid_markdown)

/** Renders one part. Refuses Markdown that takes too much time or memory, and more of it than can wait. */
export async function renderPart(
  renderer: Renderer,
  sender: Sender,
  markdown: string,
  options: RenderOptions = {},
  isWanted?: () => boolean,
) {
  try {
    return await renderer.render(markdown, options, sender, isWanted)
  } catch (error) {
    if (error instanceof MarkdownTooComplex) return refuse(markdownTooComplex)
    if (error instanceof NobodyWaits || error instanceof MachineBusy)
      return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: retryFullQueueSeconds })
    if (error instanceof QueueFull)
      return error.ofOwner
        ? refuse(rateLimited, {}, { retryAfterSeconds: retryFullQueueSeconds })
        : refuse(temporarilyUnavailable, {}, { retryAfterSeconds: retryFullQueueSeconds })
    throw error
  }
}

type Price = Pick<PostRow, 'price_currency' | 'price_atomic'>
type SavedPrice = Price & Pick<PostRow, 'has_paywall'>

/**
 * Returns the price after an edit; omitted fields keep their saved values. A new currency needs a new amount, and
 * clearing one clears both. `priceRaw` is another way to give a price in XNO. Sending a post's own fields back must
 * change nothing, even though `priceRaw` is "0" without a paywall and null for a price in USDC.
 */
export function priceAfter(input: PostInput, saved: SavedPrice): Price {
  const price = namedPrice(input, saved)
  const { priceRaw } = input
  if (priceRaw === undefined && price) return checked(price)
  const has_paywall = input.enablePaywall ?? saved.has_paywall
  const isSamePrice = priceRaw === (price && priceRawOf({ ...price, has_paywall }))
  const isOfOtherCurrency = priceRaw === null && price?.price_currency !== 'XNO'
  if (price && (isSamePrice || isOfOtherCurrency)) return checked(price)
  return checked(rawPrice(input, saved))
}

/** The price given by currency and amount. Undefined if one of them is missing and `priceRaw` is given instead. */
function namedPrice({ priceCurrency, priceAtomic, priceRaw }: PostInput, saved: SavedPrice): Price | undefined {
  if (priceCurrency === undefined && priceAtomic === undefined)
    return { price_currency: saved.price_currency, price_atomic: saved.price_atomic }
  if (priceCurrency === null || priceAtomic === null) return cleared(priceCurrency, priceAtomic)
  const currency = priceCurrency ?? saved.price_currency
  const atomic = priceAtomic ?? (currency === saved.price_currency ? saved.price_atomic : null)
  if (currency !== null && atomic !== null) return { price_currency: currency, price_atomic: atomic }
  if (priceRaw !== undefined) return undefined
  if (currency === null) return refuseField('priceCurrency', 'required', 'is required with priceAtomic')
  return refuseField('priceAtomic', 'required', 'is required with priceCurrency')
}

/** The price given by `priceRaw`. */
function rawPrice({ priceCurrency, priceAtomic, priceRaw }: PostInput, saved: SavedPrice): Price {
  if (priceRaw == null || priceCurrency === null || priceAtomic === null)
    return cleared(priceRaw, priceCurrency, priceAtomic)
  const currency = priceCurrency ?? saved.price_currency ?? 'XNO'
  if (currency !== 'XNO' || (priceAtomic !== undefined && priceAtomic !== priceRaw))
    refuseField('priceRaw', 'conflict', 'disagrees with the other price fields')
  return { price_currency: currency, price_atomic: priceRaw }
}

function cleared(...given: (string | null | undefined)[]): Price {
  if (given.some((part) => typeof part === 'string'))
    refuseField('priceAtomic', 'conflict', 'disagrees with the other price fields')
  return { price_currency: null, price_atomic: null }
}

function checked(price: Price): Price {
  if (price.price_currency === 'XNO' && BigInt(price.price_atomic ?? 0) > nanoRail.totalSupply!)
    refuseField('priceAtomic', 'too_big', 'is more than the total supply of Nano')
  return price
}

const refuseField = (field: string, code: string, message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })
