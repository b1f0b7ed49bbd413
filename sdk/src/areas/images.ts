import type { Context } from '../context.ts'
import { PennypostError } from '../errors.ts'
import type { ListUploadOperationsInput } from '../generated/operations.ts'
import type { ImageOperation } from '../generated/types.ts'
import { type List, listByCursor } from '../list.ts'
import type { CallOptions } from '../operation.ts'
import { blobOf, sha256Of, type UploadSource, untilChecked, uploadKey, type WaitOptions } from './uploads.ts'

export interface ImageOptions extends WaitOptions {
  /** The media type, such as `image/png`, for bytes that do not state theirs. */
  type?: string | undefined
}

type Send = (input: { body: FormData; idempotencyKey: string }) => Promise<{ readonly body: ImageOperation }>

/** Images of your posts and profile. Needs a publishing key. Every upload waits until the image was checked. */
export class Images {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Uploads an image for the text of a post. Markdown shows it as `![what it shows](image:name)`.
   * @example const { publicUrl } = await pennypost.images.upload(post.id, 'engine', file)
   */
  async upload(postId: string, name: string, file: UploadSource, options: ImageOptions = {}): Promise<ImageOperation> {
    const revision = await this.#revisionOf(postId, options)
    const headers = { 'x-post-revision': revision, 'x-upload-target-key': name }
    const send: Send = (input) =>
      this.#context.operations.uploadPostImage(
        { params: { postId }, query: { intent: 'content' }, headers, ...input },
        options,
      )
    return this.#send(['image', postId, name], file, options, send)
  }

  /** Uploads the image that links to a post show. */
  async uploadPreview(postId: string, file: UploadSource, options: ImageOptions = {}): Promise<ImageOperation> {
    const headers = { 'x-post-revision': await this.#revisionOf(postId, options) }
    const send: Send = (input) =>
      this.#context.operations.uploadPostImage(
        { params: { postId }, query: { intent: 'og' }, headers, ...input },
        options,
      )
    return this.#send(['preview', postId], file, options, send)
  }

  uploadAvatar(file: UploadSource, options: ImageOptions = {}): Promise<ImageOperation> {
    return this.#send(['avatar'], file, options, (input) => this.#context.operations.uploadAvatar(input, options))
  }

  uploadHeader(file: UploadSource, options: ImageOptions = {}): Promise<ImageOperation> {
    return this.#send(['header'], file, options, (input) => this.#context.operations.uploadHeader(input, options))
  }

  /** Your uploads, newest first: of a post with `postId`, otherwise of your profile. */
  list(query: ListUploadOperationsInput['query'] = {}, options?: CallOptions): List<ImageOperation> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listUploadOperations({ query: page }, options)
      return { items: body.operations, nextCursor: body.nextCursor }
    })
  }

  /** Cancels an upload, or removes its image. */
  async remove(operationId: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.cancelUpload({ params: { operationId } }, options)
  }

  async #send(
    target: readonly string[],
    file: UploadSource,
    options: ImageOptions,
    send: Send,
  ): Promise<ImageOperation> {
    const type = options.type ?? (file instanceof Blob ? file.type : '')
    if (!type.startsWith('image/'))
      throw new TypeError("Say what the image is with `type`, such as `{ type: 'image/png' }`.")
    const blob = blobOf(file, type)
    const body = () => {
      const form = new FormData()
      form.append('file', blob, `image.${type.slice('image/'.length)}`)
      return form
    }
    const idempotencyKey = await uploadKey(...target, await sha256Of(blob))
    const sent = await send({ body: body(), idempotencyKey })
      .then(({ body: operation }) => operation)
      .catch((error: unknown) => {
        if (error instanceof PennypostError && error.code === 'resource-gone') return undefined
        throw error
      })
    const isNew = sent !== undefined && sent.safety.state !== 'cancelled' && sent.safety.state !== 'failed'
    // The same image was uploaded before and was removed, or failed its check. This upload is a new one.
    const current = isNew ? sent : (await send({ body: body(), idempotencyKey: crypto.randomUUID() })).body
    const params = { operationId: current.safety.operationId }
    let next: ImageOperation | undefined = current
    return untilChecked(
      async () => {
        const operation =
          next ?? ((await this.#context.operations.getUploadOperation({ params }, options)).body as ImageOperation)
        next = undefined
        return operation
      },
      ({ safety }) => safety,
      options,
    )
  }

  async #revisionOf(postId: string, options: CallOptions): Promise<string> {
    return (await this.#context.operations.getPost({ params: { postId } }, options)).body.updatedAt
  }
}
