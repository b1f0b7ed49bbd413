import type { Context } from '../context.ts'
import { PennypostError } from '../errors.ts'
import type { ListPaidPostsInput, ListPublicPostsInput, ListRelatedPostsReply } from '../generated/operations.ts'
import type { PaymentRequired, Post, PostAccess, PostDetail, PostSummary, PublishReply } from '../generated/types.ts'
import { type List, listByCursor, listByPage } from '../list.ts'
import type { CallOptions, Download } from '../operation.ts'
import type { Payment, PayOptions } from '../payments/payer.ts'
import { type DraftInput, Drafts, type PublishOptions } from './drafts.ts'

export interface ReadOptions extends CallOptions {
  /** The token of a gift link. */
  gift?: string | undefined
}

export interface BoughtPost {
  readonly post: PostAccess
  /** The payment, or undefined if there was nothing to pay. */
  readonly payment: Payment | undefined
}

/** Published posts: find, read, buy and publish them. */
export class Posts {
  readonly #context: Context
  readonly #drafts: Drafts

  constructor(context: Context) {
    this.#context = context
    this.#drafts = new Drafts(context)
  }

  /**
   * Published posts, recommended first.
   * @example for await (const post of pennypost.posts.list({ q: 'compilers', access: 'free' })) console.log(post.title)
   */
  list(query: ListPublicPostsInput['query'] = {}, options?: CallOptions): List<PostSummary> {
    return listByPage(query, async (page) => {
      const { body } = await this.#context.operations.listPublicPosts({ query: page }, options)
      return { items: body.data, total: body.total, perPage: body.perPage }
    })
  }

  /** All paid posts, newest first: for programs that buy. */
  listPaid(query: ListPaidPostsInput['query'] = {}, options?: CallOptions): List<PostSummary> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listPaidPosts({ query: page }, options)
      return { items: body.data, nextCursor: body.nextCursor }
    })
  }

  /** The free part of a post, its price, and what is said about it. */
  async get(postId: string, options?: CallOptions): Promise<PostDetail> {
    return (await this.#context.operations.getPublicPost({ params: { postId } }, options)).body
  }

  async related(postId: string, options?: CallOptions): Promise<ListRelatedPostsReply> {
    return (await this.#context.operations.listRelatedPosts({ params: { postId } }, options)).body
  }

  /**
   * All of a post that you may read: a free one, your own, one that you or this client bought, or by a gift link. A post
   * that is for sale throws `payment-required`, with the prices in `details.offers`. Nothing is paid.
   */
  async read(postId: string, { gift, ...options }: ReadOptions = {}): Promise<PostAccess> {
    const proof = await this.#context.payer.proofOf(this.#keyOf(postId))
    const input = {
      params: { postId },
      ...(gift !== undefined && { query: { gift } }),
      ...(proof !== undefined && { headers: { 'payment-signature': proof } }),
    }
    const reply = await this.#context.operations.getAccess(input, options)
    if (reply.status === 200) return reply.body
    throw paymentRequired('getAccess', reply.body)
  }

  /**
   * Reads a post, and pays for it with x402 if that is necessary. It never pays twice: call it again after an error. The
   * price must be within the `spendingLimit` of the client.
   * @example const { post, payment } = await pennypost.posts.buy(postId, { maxPrice: { USDC: '0.25' } })
   */
  async buy(postId: string, options?: PayOptions): Promise<BoughtPost> {
    const payable = { key: this.#keyOf(postId), operation: 'getAccess', input: { params: { postId } } } as const
    const { body, payment } = await this.#context.payer.pay(payable, options)
    return { post: body as PostAccess, payment }
  }

  /** Downloads a ZIP file of a post that you may read, or that this client bought, as a stream. */
  async download(postId: string, assetId: string, { gift, ...options }: ReadOptions = {}): Promise<Download> {
    const proof = await this.#context.payer.proofOf(this.#keyOf(postId))
    const input = {
      params: { assetId },
      ...(gift !== undefined && { query: { gift } }),
      ...(proof !== undefined && { headers: { 'payment-signature': proof } }),
    }
    return this.#context.operations.getAsset.download(input, options)
  }

  /**
   * Creates a post and publishes it. Needs a publishing key. If something is missing, the error is `publication-blocked`
   * with `fieldErrors`, and the draft is kept: its id is in `details.postId`.
   * @example
   * await pennypost.posts.publish({
   *   title: 'On compilers',
   *   freeContentMarkdown: 'A compiler is a *translator*.',
   *   paidContentMarkdown: 'How the first one worked.',
   *   price: { amount: '0.10', asset: 'USDC' },
   *   category: 'technology',
   *   language: 'en',
   *   creationMethod: 'human',
   *   creationAttested: true,
   * })
   */
  async publish(post: DraftInput, options: PublishOptions & { idempotencyKey?: string } = {}): Promise<PublishReply> {
    const { idempotencyKey, ...rest } = options
    const draft = await this.#drafts.create(post, { idempotencyKey, signal: rest.signal })
    try {
      return await this.#drafts.publish(draft.id, rest)
    } catch (error) {
      if (!(error instanceof PennypostError)) throw error
      throw new PennypostError({ ...error, details: { ...error.details, postId: draft.id }, cause: error.cause })
    }
  }

  /** Takes a post off the site. Buyers keep it. */
  async unpublish(postId: string, options?: CallOptions): Promise<Post> {
    return (await this.#context.operations.withdrawPost({ params: { postId } }, options)).body
  }

  #keyOf(postId: string): string {
    return `payment access ${this.#context.baseUrl} ${postId.toLowerCase()}`
  }
}

export function paymentRequired(operation: string, body: PaymentRequired): PennypostError {
  const { offers, accepts, error: reason } = body
  const detail = 'This has to be paid for. `posts.buy` does that.'
  return new PennypostError({
    operation,
    status: 402,
    code: 'payment-required',
    detail,
    details: { offers, accepts, reason },
  })
}
