import type { z } from 'zod'

/** A form with exactly one file, saved to a temporary folder before the handler runs. */
export interface MultipartBody<Fields extends z.ZodObject = z.ZodObject> {
  readonly kind: 'multipart'
  readonly file: {
    readonly field: string
    readonly maxBytes: number
    /** The media types that the file may have, if not any. */
    readonly contentTypes?: readonly string[]
  }
  readonly fields: Fields
}

export const multipart = <Fields extends z.ZodObject>(
  form: Omit<MultipartBody<Fields>, 'kind'>,
): MultipartBody<Fields> => ({
  kind: 'multipart',
  ...form,
})

/** Bytes passed to the handler as they arrive. `Content-Length` is required so that oversized bodies are refused early. */
export interface StreamBody {
  readonly kind: 'stream'
  readonly contentType: string
  readonly maxBytes: number
}

export const stream = (body: Omit<StreamBody, 'kind'>): StreamBody => ({ kind: 'stream', ...body })

/** The fields of an HTML form. Fields that are not declared are ignored, and each may be sent once. */
export interface UrlEncodedBody<Fields extends z.ZodObject = z.ZodObject> {
  readonly kind: 'url-encoded'
  readonly fields: Fields
}

export const urlEncoded = <Fields extends z.ZodObject>(fields: Fields): UrlEncodedBody<Fields> => ({
  kind: 'url-encoded',
  fields,
})

/** A reply that is not JSON: a page, a feed, a file. */
export interface RawBody {
  readonly kind: 'raw'
  readonly contentType: string
  /** Other media types, which the handler sets itself. */
  readonly otherContentTypes?: readonly string[]
  readonly description: string
}

export const raw = (contentType: string, description: string, otherContentTypes: readonly string[] = []): RawBody => ({
  kind: 'raw',
  contentType,
  description,
  otherContentTypes,
})

/** A reply without a body, such as a redirect. */
export interface NoBody {
  readonly kind: 'nothing'
  readonly description: string
}

export const nothing = (description: string): NoBody => ({ kind: 'nothing', description })

/** The file of a multipart request, already on disk. It is deleted when the request ends. */
export interface ReceivedFile {
  readonly path: string
  readonly filename: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
}
