import { STATUS_CODES } from 'node:http'
import type { ErrorFamily } from '@pennypost/contract/endpoint'
import {
  contentLengthRequired,
  type FieldError,
  malformedJson,
  payloadTooLarge,
  unsupportedMediaType,
  validation,
} from '@pennypost/contract/errors'
import { type Refusal, snakeCase } from '@pennypost/contract/refusal'
import { type CreateLayout, html, type PageLayout, page } from './page.ts'
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
  /** The `WWW-Authenticate` of a 401, if it is more than the usual one. */
  readonly challenge?: string | undefined
  /** The layout of refusals that are pages. The examples of the API reference are not. */
  readonly createLayout?: CreateLayout
}

/** Turns a refusal into a reply: a problem document, an H3 error, an OAuth error or a page. */
export function renderRefusal(refused: Refused, context: RenderContext): Rendered {
  const { status } = refused.refusal
  const headers: Record<string, string> = { ...refused.headers }
  if (refused.retryAfterSeconds !== undefined) headers['retry-after'] = String(refused.retryAfterSeconds)
  if (status === 401) headers['www-authenticate'] ??= context.challenge ?? 'Bearer'
  if (context.family === 'problem') {
    return {
      status,
      headers,
      contentType: 'application/problem+json; charset=utf-8',
      body: JSON.stringify(problem(refused, context)),
    }
  }
  if (context.family === 'page') return refusalPage(refused, headers, context.createLayout!())
  return {
    status,
    headers,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(context.family === 'oauth' ? oauthError(refused) : h3Error(refused, context)),
  }
}

/** A page that tells a person what happened and where to go next. */
function refusalPage(refused: Refused, headers: Record<string, string>, layout: PageLayout): Rendered {
  const { code, status } = refused.refusal
  const errors = (refused.details.errors ?? []) as readonly FieldError[]
  const shown = page({
    title: headingOf(status),
    layout,
    body: html`<main id="main">
<h1>${headingOf(status)}</h1>
<p class="lead">${refused.message}</p>
${errors.length > 0 && html`<ul>${errors.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}
<p><a href="/">Home</a></p>
<p class="quiet">${status}, <a href="/problems/${code}">${code}</a></p>
</main>`,
  })
  return {
    status,
    headers: { ...headers, ...shown.headers },
    contentType: shown.headers['content-type']!,
    body: shown.html,
  }
}

const headings: Readonly<Record<number, string>> = {
  400: 'This does not work',
  403: 'This is not allowed',
  404: 'Page not found',
  503: 'Temporarily unavailable',
}

const headingOf = (status: number): string => headings[status] ?? STATUS_CODES[status] ?? String(status)

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
    // Field errors appear twice, here and inside `data`: clients look in either place.
    ...(errors !== undefined && { errors }),
  }
}

const unreadable: ReadonlySet<Refusal> = new Set([
  malformedJson,
  validation,
  contentLengthRequired,
  payloadTooLarge,
  unsupportedMediaType,
])

/** An error of RFC 6749: a code that every OAuth library knows, and a sentence for the person who wrote the program. */
function oauthError({ refusal, message, details }: Refused) {
  const errors = (details.errors ?? []) as readonly FieldError[]
  const sentences = [message, ...errors.map(({ field, message }) => `${field} ${message}`)].join(' ')
  return {
    error: unreadable.has(refusal) ? 'invalid_request' : snakeCase(refusal.code),
    // RFC 6749 allows no quotes, no backslash and nothing but ASCII here.
    error_description: sentences.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?'),
  }
}
