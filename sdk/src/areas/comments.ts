import type { Context } from '../context.ts'
import type { AddCommentInput, ListPublicCommentsInput, ReactToCommentInput } from '../generated/operations.ts'
import type { Comment, CommentPage, CommentReceipt, SavedComment } from '../generated/types.ts'
import { type List, listByCursor } from '../list.ts'
import type { CallOptions } from '../operation.ts'

const pageSize = 50

/** The discussion under posts. Writing needs a session. */
export class Comments {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Comments on a post, oldest first unless `sort` says otherwise. */
  list(postId: string, query: ListPublicCommentsInput['query'] = {}, options?: CallOptions): List<Comment> {
    return listByCursor({ limit: pageSize, ...query }, async (page) => {
      const { body } = await this.#context.operations.listPublicComments({ params: { postId }, query: page }, options)
      const { comments, pagination } = body as CommentPage
      return { items: comments, nextCursor: pagination.nextCursor }
    })
  }

  /** @example await pennypost.comments.add(postId, { content: 'I liked the part about linkers.' }) */
  async add(
    postId: string,
    comment: AddCommentInput['body'],
    { idempotencyKey, ...options }: CallOptions & { idempotencyKey?: string | undefined } = {},
  ): Promise<SavedComment | CommentReceipt> {
    const input = { params: { postId }, body: comment, idempotencyKey }
    return (await this.#context.operations.addComment(input, options)).body
  }

  async get(commentId: string, options?: CallOptions): Promise<Comment> {
    return (await this.#context.operations.getComment({ params: { commentId } }, options)).body
  }

  async delete(commentId: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.deleteComment({ params: { commentId } }, options)
  }

  async react(commentId: string, reaction: ReactToCommentInput['body'], options?: CallOptions): Promise<void> {
    await this.#context.operations.reactToComment({ params: { commentId }, body: reaction }, options)
  }
}
