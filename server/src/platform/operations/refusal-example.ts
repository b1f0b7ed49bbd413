import { STATUS_CODES } from 'node:http'
import type { Endpoint, ErrorFamily } from '@pennypost/contract/endpoint'
import { exampleOf } from '@pennypost/contract/example'
import type { Refusal } from '@pennypost/contract/refusal'
import { z } from 'zod'
import { type Html, html } from '../http/page.ts'
import { Refused } from '../http/refuse.ts'
import { renderRefusal } from '../http/render-refusal.ts'

interface Setting {
  readonly family: Exclude<ErrorFamily, 'page'>
  readonly origin: string
  readonly retryHint?: Endpoint['retryHint']
}

/** A refusal as a client gets it, rendered by the code that renders the real ones. */
export function refusalExample(refusal: Refusal, { family, origin, retryHint }: Setting): Html {
  const details = exampleOf(z.object(refusal.details), '') as Record<string, unknown>
  const refused = new Refused(refusal, details, [429, 503].includes(refusal.status) ? { retryAfterSeconds: 30 } : {})
  const requestId = '3f1c9a60-7f0c-4d6e-8d5b-6f2a4b1c0e77'
  const rendered = renderRefusal(refused, { family, origin, requestId, retryInBody: retryHint === 'body' })
  const headers = Object.entries({ 'content-type': rendered.contentType, ...rendered.headers })
  const lines = [statusWords(rendered.status), ...headers.map(([name, value]) => `${name}: ${value}`)]
  const body = JSON.stringify(JSON.parse(rendered.body), null, 2)
  return html`<pre><code>${lines.join('\n')}\n\n${body}</code></pre>`
}

/** @example statusWords(404) // '404 Not Found' */
export const statusWords = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim()
