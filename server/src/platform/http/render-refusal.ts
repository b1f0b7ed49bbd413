import { STATUS_CODES } from 'node:http'
import type { ErrorFamily } from '@pennypost/contract/endpoint'
import type { FieldError } from '@pennypost/contract/errors'
import { snakeCase } from '@pennypost/contract/refusal'
import { html, type PageLayout, page } from './page.ts'
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
  /** How a refusal looks that is a page. */
  readonly layout?: PageLayout | undefined
}

/** The last thing that happens to a refusal: it becomes a problem, an H3 error (decisions §2) or a page. */
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
  if (context.family === 'page') return refusalPage(refused, headers, context.layout)
  return {
    status,
    headers,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify(h3Error(refused, context)),
  }
}

/** For a person: what happened in words, and a way on. */
function refusalPage(refused: Refused, headers: Record<string, string>, look: PageLayout | undefined): Rendered {
  const { code, status } = refused.refusal
  const errors = (refused.details.errors ?? []) as readonly FieldError[]
  const shown = page({
    title: `${STATUS_CODES[status] ?? status} · Pennypost`,
    ...(look && { layout: look }),
    body: html`<main id="main">
<h1>${status === 404 ? 'There is nothing here' : (STATUS_CODES[status] ?? status)}</h1>
<p class="lead">${refused.message}</p>
${errors.length > 0 && html`<ul>${errors.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}
<p><a href="/">All Posts</a></p>
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
