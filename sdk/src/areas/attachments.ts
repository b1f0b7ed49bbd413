import type { Context } from '../context.ts'
import { errorOf, PennypostError } from '../errors.ts'
import type {
  Attachment,
  AttachmentManifest,
  AttachmentResult,
  OwnedAttachment,
  PartTransfer,
} from '../generated/types.ts'
import { readBody } from '../http/read-body.ts'
import { pause } from '../http/send.ts'
import type { CallOptions, Download } from '../operation.ts'
import { blobOf, sha256Of, type UploadSource, untilChecked, uploadKey, type WaitOptions } from './uploads.ts'

export interface AttachmentUpload extends WaitOptions {
  /** The name that readers see, which ends in `.zip`. */
  filename: string
  description?: string | undefined
  /** Called when the upload starts, after each part, and while the file is checked. */
  onProgress?: ((progress: UploadProgress) => void) | undefined
}

export interface UploadProgress {
  readonly stage: 'sending' | 'checking' | 'ready'
  readonly sentBytes: number
  readonly totalBytes: number
}

type PostRevision = { readonly id: string; readonly updatedAt: string }

const attemptsOfPart = 4
// A part has 5 MiB, and some connections send 20 KB in a second.
const partTimeoutMs = 300_000

/** ZIP files of posts. All but `listPublic` need a publishing key. */
export class Attachments {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** The ZIP files of a published post. `posts.download` reads them. */
  async listPublic(postId: string, options?: CallOptions): Promise<Attachment[]> {
    return (await this.#context.operations.listPublicAttachments({ params: { postId } }, options)).body.attachments
  }

  /** The ZIP files of one of your posts, with limits and usage. */
  async list(postId: string, options?: CallOptions): Promise<AttachmentManifest> {
    return (await this.#context.operations.listAttachments({ params: { postId } }, options)).body
  }

  /**
   * Uploads a ZIP in parts and waits until it was checked. To continue an upload that broke off, also in another process,
   * call it again with the same file and name: parts that the service has are not sent again.
   * @example
   * await pennypost.attachments.upload(post.id, await openAsBlob('engines.zip'), {
   *   filename: 'engines.zip',
   *   onProgress: ({ sentBytes, totalBytes }) => console.log(`${sentBytes} of ${totalBytes}`),
   * })
   */
  async upload(postId: string, file: UploadSource, options: AttachmentUpload): Promise<OwnedAttachment> {
    const blob = blobOf(file, 'application/zip')
    const sha256 = await sha256Of(blob)
    const { filename, description } = options
    const key = await uploadKey('zip', postId, filename, sha256)
    const found = await this.#find(postId, key, options)
    const isUsable = found && (found.state === 'pending' || found.state === 'ready')
    const reserved = isUsable
      ? found
      : await this.#reserve(
          postId,
          found ? crypto.randomUUID() : key,
          {
            filename,
            description,
            sizeBytes: blob.size,
            sha256,
          },
          options,
        )
    const attachment = await this.#sendParts(postId, reserved, blob, options)
    const report = (stage: UploadProgress['stage']) =>
      options.onProgress?.({ stage, sentBytes: blob.size, totalBytes: blob.size })
    report('checking')
    const params = { operationId: attachment.operation.id }
    const { attachment: checked } = await untilChecked(
      async () => (await this.#context.operations.getUploadOperation({ params }, options)).body as AttachmentResult,
      (result) => result.attachment.safety,
      options,
    )
    report('ready')
    return checked
  }

  async edit(
    post: PostRevision,
    assetId: string,
    changes: { filename?: string; description?: string },
    options?: CallOptions,
  ): Promise<OwnedAttachment> {
    const input = {
      params: { postId: post.id, assetId },
      headers: { 'x-post-revision': post.updatedAt },
      body: changes,
    }
    return (await this.#context.operations.editAttachment(input, options)).body.attachment
  }

  /** Removes a ZIP. Buyers keep one that was ready. */
  async remove(post: PostRevision, assetId: string, options?: CallOptions): Promise<OwnedAttachment> {
    const input = { params: { postId: post.id, assetId }, headers: { 'x-post-revision': post.updatedAt } }
    return (await this.#context.operations.removeAttachment(input, options)).body.attachment
  }

  /** Downloads one of your own ZIP files as a stream. */
  download(postId: string, assetId: string, options?: CallOptions): Promise<Download> {
    return this.#context.operations.downloadAttachment.download({ params: { postId, assetId } }, options)
  }

  async #find(postId: string, requestKey: string, options: CallOptions): Promise<OwnedAttachment | undefined> {
    const input = { params: { postId }, query: { requestKey } }
    try {
      return (await this.#context.operations.lookUpAttachment(input, options)).body.attachment
    } catch (error) {
      if (error instanceof PennypostError && error.code === 'attachment-not-found') return undefined
      throw error
    }
  }

  async #reserve(
    postId: string,
    idempotencyKey: string,
    body: { filename: string; description: string | undefined; sizeBytes: number; sha256: string },
    options: CallOptions,
  ): Promise<OwnedAttachment> {
    const { updatedAt } = (await this.#context.operations.getPost({ params: { postId } }, options)).body
    const input = { params: { postId }, headers: { 'x-post-revision': updatedAt }, body, idempotencyKey }
    return (await this.#context.operations.reserveAttachment(input, options)).body.attachment
  }

  async #sendParts(
    postId: string,
    attachment: OwnedAttachment,
    blob: Blob,
    options: AttachmentUpload,
  ): Promise<OwnedAttachment> {
    const { id: operationId, transport } = attachment.operation
    if (transport.receipt.received) return attachment
    const params = { postId, operationId }
    let sentBytes = transport.parts.reduce((sum, part) => sum + (part.state === 'stored' ? part.length : 0), 0)
    const report = () => options.onProgress?.({ stage: 'sending', sentBytes, totalBytes: blob.size })
    report()
    for (const part of transport.parts.filter(({ state }) => state !== 'stored')) {
      await this.#sendPart(params, part.number, blob, options)
      sentBytes += part.length
      report()
    }
    return (await this.#context.operations.completeAttachment({ params, body: {} }, options)).body.attachment
  }

  /** Sends one part. Each new attempt gets a new authorization, because the authorization may be what failed. */
  async #sendPart(
    params: { postId: string; operationId: string },
    partNumber: number,
    blob: Blob,
    options: AttachmentUpload,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { body } = await this.#context.operations.transportAttachment({ params, body: { partNumber } }, options)
      // The part arrived, although its response was lost.
      if (body.transfer === null) return
      const problem = await this.#put(body.transfer, blob, options)
      if (problem === undefined) return
      const isTemporary = problem.status === 0 || problem.status === 429 || problem.status >= 500
      const isExpired = problem.code === 'capability-refused'
      if (attempt >= attemptsOfPart || !(isTemporary || isExpired)) throw problem
      await pause((problem.retryAfterSeconds ?? attempt) * 1000, options.signal)
    }
  }

  /** Without the client's credential: the capability is the only one that the service accepts here. */
  async #put(transfer: PartTransfer, blob: Blob, { signal }: CallOptions): Promise<PennypostError | undefined> {
    const { url, method, headers, offset, length } = transfer
    const operation = 'storeAttachmentPart'
    try {
      const response = await this.#context.fetch(url, {
        method,
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: blob.slice(offset, offset + length, 'application/octet-stream'),
        redirect: 'manual',
        signal: signal
          ? AbortSignal.any([signal, AbortSignal.timeout(partTimeoutMs)])
          : AbortSignal.timeout(partTimeoutMs),
      })
      const body = await readBody(response)
      return response.ok ? undefined : errorOf(operation, response.status, response.headers, body)
    } catch (cause) {
      signal?.throwIfAborted()
      const detail = 'The connection failed while a part of the file was sent.'
      return new PennypostError({ operation, code: 'network-error', detail, cause, isUncertain: true })
    }
  }
}
