/** One invalid field of a request. */
export interface FieldError {
  readonly field: string
  readonly code: string
  readonly message: string
}

export interface ErrorParts {
  readonly code: string
  readonly detail: string
  readonly status?: number | undefined
  readonly fieldErrors?: readonly FieldError[] | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly requestId?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly operation?: string | undefined
  readonly isUncertain?: boolean | undefined
  readonly cause?: unknown
}

/**
 * Thrown for every request that did not succeed. The API has two formats of errors; this is the same for both.
 * @example
 * try {
 *   await pennypost.posts.publish(post)
 * } catch (error) {
 *   if (error instanceof PennypostError && error.code === 'publication-blocked') console.log(error.fieldErrors)
 * }
 */
export class PennypostError extends Error {
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number
  /**
   * What went wrong, in kebab-case: `post-not-found`, `rate-limited`. `{baseUrl}/problems/{code}` explains the codes of the
   * service. The codes of this package are `network-error`, `timeout`, `invalid-reply`, `spending-limit`, `no-way-to-pay`,
   * `signer-failed`, `payment-refused`, `payment-uncertain`, `store-damaged`, `upload-rejected` and `order-ended`.
   */
  readonly code: string
  /** One sentence for a person. */
  readonly detail: string
  /** The invalid fields of a request, otherwise empty. */
  readonly fieldErrors: readonly FieldError[]
  /** How long to wait before sending the same request again, if the service said so. */
  readonly retryAfterSeconds: number | undefined
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined
  /** Further fields of the error, such as `currentRevision`. */
  readonly details: Readonly<Record<string, unknown>>
  /** The `operationId` of the request. */
  readonly operation: string | undefined
  /** Whether the service may have done what was asked: the request was sent, and its response was lost. */
  readonly isUncertain: boolean

  constructor(parts: ErrorParts) {
    const where = parts.operation === undefined ? '' : `${parts.operation}: `
    const status = parts.status ? `${parts.status} ` : ''
    super(`${where}${status}${parts.code}: ${parts.detail}`, { cause: parts.cause })
    this.name = 'PennypostError'
    this.status = parts.status ?? 0
    this.code = parts.code
    this.detail = parts.detail
    this.fieldErrors = parts.fieldErrors ?? []
    this.retryAfterSeconds = parts.retryAfterSeconds
    this.requestId = parts.requestId
    this.details = parts.details ?? {}
    this.operation = parts.operation
    this.isUncertain = parts.isUncertain ?? false
  }
}

/**
 * A payment was signed and sent, and nobody knows yet whether it went through. Do not pay in another way: call the same
 * method again, or `payments.resume()`. The saved payment is sent again then, which cannot charge you twice.
 */
export class PaymentUncertainError extends PennypostError {
  /** The key under which the signed payment is saved in the store. */
  readonly paymentKey: string

  constructor(parts: Omit<ErrorParts, 'code' | 'isUncertain'> & { readonly paymentKey: string }) {
    super({ ...parts, code: 'payment-uncertain', isUncertain: true })
    this.name = 'PaymentUncertainError'
    this.paymentKey = parts.paymentKey
  }
}

/** The error that a response stands for. */
export function errorOf(operation: string, status: number, headers: Headers, body: unknown): PennypostError {
  const record = isRecord(body) ? body : {}
  const data = isRecord(record.data) ? record.data : {}
  const { type: _t, title, status: _s, detail, code, requestId, errors, ...problemDetails } = record
  const { statusCode: _c, statusMessage: _m, message, data: _d, ...details } = problemDetails
  const { code: h3Code, errors: h3Errors, retryAfter, ...h3Details } = data
  const fieldErrors = [errors, h3Errors].find(Array.isArray) as FieldError[] | undefined
  return new PennypostError({
    operation,
    status,
    code: String(code ?? h3Code ?? `http-${status}`).replaceAll('_', '-'),
    detail: String(detail ?? message ?? title ?? unexplained(status, headers)),
    fieldErrors,
    retryAfterSeconds: secondsOf(headers.get('retry-after')) ?? numberOf(retryAfter),
    requestId: textOf(requestId) ?? headers.get('x-request-id') ?? undefined,
    details: { ...details, ...h3Details },
  })
}

/** Redirects are not followed: they would take the credential to another server. */
function unexplained(status: number, headers: Headers): string {
  const location = headers.get('location')
  if (status < 300 || status > 399 || location === null) return 'The service replied with an error.'
  return `The service redirects to ${location}. If that is where it is now, change \`baseUrl\`.`
}

/** The seconds of a `Retry-After` header, which may also be a date. */
export function secondsOf(header: string | null): number | undefined {
  if (header === null || header === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
