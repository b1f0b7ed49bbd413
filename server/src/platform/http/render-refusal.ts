import { STATUS_CODES } from 'node:http'
import type { ErrorFamily } from '@pennypost/contract/endpoint'
import { snakeCase } from '@pennypost/contract/refusal'
import type { Refused } from './refuse.ts'

export interface Rendered {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RenderContext {
  readonly family: ErrorFamily
  readonly origin: string
  readonly requestId: string
  readonly retryInBody: boolean
}

/** The last thing that happens to a refusal: it becomes a problem or an H3 error (decisions §2). */
export function renderRefusal(refused: Refused, context: RenderContext): Rendered {
  const { status } = refused.refusal
  const headers: Record<string, string> = {}
  if (refused.retryAfterSeconds !== undefined) headers['retry-after'] = String(refused.retryAfterSeconds)
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (context.family === 'problem') {
    return {
      status,
      headers,
      contentType: 'application/problem+json; charset=utf-8',
      body: JSON.stringify(problem(refused, context)),
    }
  }
  return {
    status,
    headers,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(h3Error(refused, context)),
  }
}

function problem(refused: Refused, { origin, requestId }: RenderContext) {
  const { code, status, title } = refused.refusal
  return {
    type: `${origin}/problems/${code}`,
    title,
    status,
    detail: refused.message,
    code,
    requestId,
    ...refused.details,
  }
}

function h3Error(refused: Refused, { retryInBody }: RenderContext) {
  const { code, status } = refused.refusal
  const { errors } = refused.details
  return {
    statusCode: status,
    statusMessage: STATUS_CODES[status] ?? '',
    message: refused.message,
    data: {
      code: snakeCase(code),
      ...refused.details,
      ...(retryInBody && refused.retryAfterSeconds !== undefined && { retryAfter: refused.retryAfterSeconds }),
    },
    // §7 shows field errors at the top, decisions §2 inside data: clients of both find them.
    ...(errors !== undefined && { errors }),
  }
}
