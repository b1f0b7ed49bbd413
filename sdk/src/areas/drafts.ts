import { type Asset, unitsOf } from '../amounts.ts'
import type { Context } from '../context.ts'
import type { ListPostsInput } from '../generated/operations.ts'
import type { Post, PostDraft, PostPatch, PublishReply } from '../generated/types.ts'
import { type List, listByPage } from '../list.ts'
import type { CallOptions } from '../operation.ts'

/** A price in whole coins. It puts the paid content behind a paywall. */
export interface Price {
  amount: string
  asset: Asset
}

export type DraftInput = PostDraft & { price?: Price | undefined }
export type DraftChanges = PostPatch & { price?: Price | undefined }

export interface PublishOptions extends CallOptions {
  /** When to publish, if not now. */
  publishAt?: string | Date | undefined
  /** Whether the post is emailed to subscribers. Default: true, the first time. */
  emailSubscribers?: boolean | undefined
}

/** Your own posts, before and after they are published. Needs a publishing key. */
export class Drafts {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Your posts, most recently changed first. */
  list(query: ListPostsInput['query'] = {}, options?: CallOptions): List<Post> {
    return listByPage(query, async (page) => {
      const { body } = await this.#context.operations.listPosts({ query: page }, options)
      return { items: body.data, total: body.total, perPage: body.perPage }
    })
  }

  async get(postId: string, options?: CallOptions): Promise<Post> {
    return (await this.#context.operations.getPost({ params: { postId } }, options)).body
  }

  /** Saves a new draft. Only the title is required; `blockers` of the reply says what publishing needs. */
  async create(draft: DraftInput, options: CallOptions & { idempotencyKey?: string | undefined } = {}): Promise<Post> {
    const { idempotencyKey, ...rest } = options
    return (await this.#context.operations.createPost({ body: withPrice(draft), idempotencyKey }, rest)).body
  }

  /**
   * Changes a post that you have read. If someone changed it since, the error is `revision-conflict`: read it again.
   * @example const changed = await pennypost.drafts.update(post, { title: 'On linkers' })
   */
  async update(post: Pick<Post, 'id' | 'updatedAt'>, changes: DraftChanges, options?: CallOptions): Promise<Post> {
    const headers = { 'x-post-revision': post.updatedAt }
    const input = { params: { postId: post.id }, headers, body: withPrice(changes) }
    return (await this.#context.operations.updatePost(input, options)).body
  }

  async publish(
    postId: string,
    { publishAt, emailSubscribers, ...options }: PublishOptions = {},
  ): Promise<PublishReply> {
    const when = publishAt instanceof Date ? publishAt.toISOString() : publishAt
    const body = { publishAt: when, emailSubscribers }
    return (await this.#context.operations.publishPost({ params: { postId }, body }, options)).body
  }

  /** Cancels a publication that was planned with `publishAt`. */
  async unschedule(postId: string, options?: CallOptions): Promise<Post> {
    return (await this.#context.operations.unschedulePost({ params: { postId } }, options)).body
  }

  /** Deletes a draft. If anyone was ever quoted a price for it, the error is `financial-history-retained`. */
  async delete(post: Pick<Post, 'id' | 'updatedAt'>, options?: CallOptions): Promise<void> {
    const headers = { 'x-post-revision': post.updatedAt }
    await this.#context.operations.deletePost({ params: { postId: post.id }, headers }, options)
  }

  /** The sanitized HTML of Markdown, as readers will see it. */
  async preview(markdown: string, postId?: string, options?: CallOptions): Promise<string> {
    return (await this.#context.operations.previewMarkdown({ body: { markdown, postId } }, options)).body.html
  }
}

function withPrice<Input extends { price?: Price | undefined }>({ price, ...post }: Input): Omit<Input, 'price'> {
  if (price === undefined) return post
  const { amount, asset } = price
  return { ...post, enablePaywall: true, priceCurrency: asset, priceAtomic: unitsOf(asset, amount) }
}
