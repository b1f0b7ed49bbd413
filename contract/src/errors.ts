import { z } from 'zod'
import { credentialsOf, type Endpoint, type ErrorFamily } from './endpoint.ts'
import { idempotencyKeyInvalid, idempotencyKeyRequired } from './idempotency.ts'
import { limit } from './limit.ts'
import { type Refusal, refusal } from './refusal.ts'

/** One invalid field: its path, a code, and a sentence. */
export const FieldError = z
  .object({ field: z.string(), code: z.string(), message: z.string() })
  .meta({ id: 'FieldError' })
export type FieldError = z.infer<typeof FieldError>

const fieldErrors = { errors: z.array(FieldError) }

// Refusals that follow from how an endpoint is declared. Endpoints do not list them; `refusalsOf` adds them.
export const malformedJson = refusal('malformed-json', 400, 'The body is not valid JSON.')
export const invalidRequest = refusal('invalid-request', 400, 'The request is not valid.', fieldErrors)
export const validation = refusal('validation', 422, 'Some fields are not valid.', fieldErrors)
export const unauthorized = refusal('unauthorized', 401, 'This request needs a valid credential of the right type.')
export const insufficientScope = refusal(
  'insufficient-scope',
  403,
  'The person who connected this program has not allowed it to do this.',
)
export const notFound = refusal('not-found', 404, 'Not found.')
export const methodNotAllowed = refusal('method-not-allowed', 405, 'This URL does not support that method.')
export const contentLengthRequired = refusal('content-length-required', 411, 'A Content-Length header is required.')
export const payloadTooLarge = refusal('payload-too-large', 413, 'The body is too large for this request.')
export const unsupportedMediaType = refusal(
  'unsupported-media-type',
  415,
  'This request does not accept that media type.',
)
export const rateLimited = refusal('rate-limited', 429, 'Too many requests. Wait, then try again.')
export const headersTooLarge = refusal('headers-too-large', 431, 'The request headers are too large.')
export const internalError = refusal('internal-error', 500, 'Something went wrong on our side.')
export const temporarilyUnavailable = refusal(
  'temporarily-unavailable',
  503,
  'A service this request depends on is unavailable. Send the same request again later.',
)

/** Refusals that any request can meet, so no endpoint declares them. */
export const commonRefusals: readonly Refusal[] = [
  malformedJson,
  invalidRequest,
  validation,
  unauthorized,
  insufficientScope,
  notFound,
  methodNotAllowed,
  contentLengthRequired,
  payloadTooLarge,
  unsupportedMediaType,
  rateLimited,
  headersTooLarge,
  internalError,
  temporarilyUnavailable,
]

/**
 * Bodies over 16 KiB that are not valid. Reading one costs as much as a hundred ordinary requests, and other limits count
 * valid requests only. A client over this limit can send no body of that size for a while.
 */
export const invalidBodies = limit('invalid-bodies', { per: 'ip', max: 120, seconds: 60 })
/** Bodies up to this size are cheap. */
export const smallBodyBytes = 16 * 1024

/** The refusal for a body that does not match its schema. */
export const invalidBodyRefusal = (endpoint: Endpoint): Refusal =>
  endpoint.invalidBody === 400 ? invalidRequest : validation

/** Every refusal an endpoint can give: the ones it declares and the ones its declaration implies. */
export function refusalsOf(endpoint: Endpoint): readonly Refusal[] {
  const { body, query, headers, params } = endpoint.request ?? {}
  const implied: Refusal[] = []
  if (query || headers) implied.push(invalidRequest)
  if (params && !endpoint.refusals?.some((declared) => declared.status === 404)) implied.push(notFound)
  const credentials = credentialsOf(endpoint)
  if (credentials.some((credential) => credential !== 'none')) implied.push(unauthorized)
  if (credentials.some((credential) => credential === 'owner-session' || credential === 'publishing-key'))
    implied.push(insufficientScope)
  if (endpoint.limits?.length || endpoint.handlerLimits?.length || endpoint.maxBodyBytes) implied.push(rateLimited)
  if (endpoint.idempotency) {
    implied.push(idempotencyKeyInvalid, endpoint.idempotency.conflict)
    if (endpoint.idempotency.required) implied.push(idempotencyKeyRequired)
  }
  if (endpoint.ignoresBody) implied.push(payloadTooLarge)
  else if (endpoint.method !== 'GET')
    implied.push(malformedJson, invalidBodyRefusal(endpoint), payloadTooLarge, unsupportedMediaType)
  if (body && 'kind' in body && body.kind !== 'url-encoded') implied.push(contentLengthRequired)
  implied.push(temporarilyUnavailable)
  return [...new Set([...(endpoint.refusals ?? []), ...implied])]
}

/** The error family for a path that no endpoint has. Outside `/api/`, a browser gets a page. */
export function familyOfUnknownPath(path: string, accept: string | undefined): ErrorFamily {
  if (!path.startsWith('/api/')) return accept?.includes('text/html') ? 'page' : 'problem'
  return /^\/api\/v1([/?]|$)/.test(path) ? 'problem' : 'h3'
}

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(FieldError).optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

export const H3Error = z
  .looseObject({
    statusCode: z.number().int(),
    statusMessage: z.string(),
    message: z.string(),
    data: z.looseObject({
      code: z.string(),
      errors: z.array(FieldError).optional(),
      retryAfter: z.number().int().optional(),
    }),
    errors: z.array(FieldError).optional(),
  })
  .meta({ id: 'H3Error' })
export type H3Error = z.infer<typeof H3Error>

/** The error format of `/oauth/*` (RFC 6749, section 5.2). */
export const OAuthError = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'OAuthError' })
