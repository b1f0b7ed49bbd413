import type { MultipartBody } from '@pennypost/contract/body'
import type { Endpoint, RequestBody } from '@pennypost/contract/endpoint'
import {
  invalidBodyRefusal,
  invalidRequest,
  notFound,
  payloadTooLarge,
  smallBodyBytes,
  unsupportedMediaType,
} from '@pennypost/contract/errors'
import { idempotencyKeyInvalid, idempotencyKeyRequired } from '@pennypost/contract/idempotency'
import type { Refusal } from '@pennypost/contract/refusal'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { missingLength } from './error-refusal.ts'
import { fieldErrors, unstorableText } from './field-errors.ts'
import { type ReceivedForm, receiveMultipart } from './multipart-body.ts'
import type { Pace } from './paced-body.ts'
import { Refused, refuse } from './refuse.ts'

const empty = Object.freeze({})
const formOverheadBytes = 512 * 1024

/** The maximum size of a request body. */
export function bodyLimit(endpoint: Endpoint): number {
  const body = endpoint.request?.body
  if (!body || !('kind' in body) || body.kind === 'url-encoded') return endpoint.maxBodyBytes ?? smallBodyBytes
  return body.kind === 'stream' ? body.maxBytes : body.file.maxBytes + formOverheadBytes
}

export interface RequestParts {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly idempotencyKey: string | undefined
  readonly body: unknown
}

/** Validates the parts of a request that an endpoint declares. Each part has its own refusal. */
export function requestReader(endpoint: Endpoint, temporaryFolder: string) {
  const maxBytes = bodyLimit(endpoint)
  const { params, query, headers, body } = endpoint.request ?? {}
  // A malformed id gets the same reply as an id that does not exist.
  const absent = endpoint.refusals?.find((declared) => declared.status === 404) ?? notFound
  const invalidBody = invalidBodyRefusal(endpoint)

  const readBody = (request: FastifyRequest): unknown => {
    if (endpoint.ignoresBody) return undefined
    if (!body) return refuseContent(request.body, invalidBody)
    if ('kind' in body && body.kind === 'url-encoded') return parse(body.fields, request.body ?? {}, invalidBody)
    // A form is received later. An empty body has no media type, so the library made no stream of it.
    if ('kind' in body) return body.kind === 'multipart' ? undefined : (request.body ?? refuseEmpty(invalidBody))
    return parse(body, request.body, invalidBody)
  }

  return {
    read: (request: FastifyRequest): RequestParts => ({
      params: params ? parse(params, request.params, absent) : empty,
      query: query ? parse(query, request.query, invalidRequest) : empty,
      headers: headers ? parse(headers, request.headers, invalidRequest) : empty,
      idempotencyKey: readIdempotencyKey(endpoint, request),
      body: readBody(request),
    }),
    /** Checks the media type and size of the body before any of it is read. */
    checkContent(request: FastifyRequest): void {
      if (endpoint.ignoresBody) return
      const isForm = body !== undefined && 'kind' in body && body.kind !== 'url-encoded'
      const length = request.headers['content-length']
      const hasBody = (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined
      if (isForm && length === undefined) throw missingLength
      // The library limits JSON bodies; we limit streams and forms.
      if (isForm && Number(length) > maxBytes) refuse(payloadTooLarge)
      // An HTML form without fields sends a media type and no body. The library would look for a parser anyway.
      if (!hasBody) delete request.headers['content-type']
      if (!hasBody || endpoint.method === 'GET') return
      const expected = mediaTypeOf(body)
      const given = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
      if (given !== expected) refuse(unsupportedMediaType, {}, { detail: `Send ${expected}.` })
    },
    receiveForm:
      body && 'kind' in body && body.kind === 'multipart'
        ? (request: FastifyRequest, pace: Pace) => receiveForm(request, body, temporaryFolder, invalidBody, pace)
        : undefined,
  }
}

function mediaTypeOf(body: RequestBody | undefined): string {
  if (!body || !('kind' in body)) return 'application/json'
  if (body.kind === 'url-encoded') return 'application/x-www-form-urlencoded'
  return body.kind === 'stream' ? body.contentType : 'multipart/form-data'
}

async function receiveForm(
  request: FastifyRequest,
  body: MultipartBody,
  temporaryFolder: string,
  invalidBody: Refusal,
  pace: Pace,
) {
  const form: ReceivedForm = await receiveMultipart(request, body, temporaryFolder, pace)
  try {
    return {
      body: { file: form.file, fields: parse(body.fields, { ...form.fields }, invalidBody) },
      discard: form.discard,
    }
  } catch (error) {
    await form.discard()
    throw error
  }
}

function readIdempotencyKey({ idempotency }: Endpoint, request: FastifyRequest): string | undefined {
  if (!idempotency) return undefined
  const given = request.headers['idempotency-key']
  if (given === undefined) return idempotency.required ? refuse(idempotencyKeyRequired) : undefined
  const parsed = idempotency.key.safeParse(given)
  return parsed.success ? parsed.data : refuse(idempotencyKeyInvalid, {}, { detail: idempotency.description })
}

function parse(schema: z.ZodType, value: unknown, refusal: Refusal): unknown {
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    throw new Refused(refusal, refusal.status === 404 ? {} : { errors: fieldErrors(parsed.error) }, {})
  }
  // After parsing: the data is no larger or deeper than the schema allows.
  const text = unstorableText(parsed.data)
  if (text) throw new Refused(refusal, refusal.status === 404 ? {} : { errors: [text] }, {})
  return parsed.data
}

function refuseEmpty(refusal: Refusal): never {
  throw new Refused(refusal, { errors: [{ field: '', code: 'required', message: 'must not be empty' }] }, {})
}

// An operation without a body accepts none, or the empty object that some clients always send.
function refuseContent(body: unknown, refusal: Refusal): undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'object' && !Array.isArray(body)) {
    const keys = Object.keys(body).slice(0, 20)
    if (keys.length === 0) return undefined
    throw new Refused(
      refusal,
      { errors: keys.map((field) => ({ field, code: 'unknown', message: 'is not a field here' })) },
      {},
    )
  }
  throw new Refused(refusal, { errors: [{ field: '', code: 'invalid_type', message: 'must be empty' }] }, {})
}
