import type { Contract, Endpoint, ErrorFamily } from '@pennypost/contract/endpoint'
import { commonRefusals, refusalsOf } from '@pennypost/contract/errors'
import { type getProblem as declared, problemNotFound } from '@pennypost/contract/platform-operations'
import { type Refusal, snakeCase } from '@pennypost/contract/refusal'
import { z } from 'zod'
import type { Handler } from '../http/handler.ts'
import { type Html, html, markdownCode, page } from '../http/page.ts'
import { refuse } from '../http/refuse.ts'
import type { PlatformServices } from '../services.ts'
import { refusalExample, statusWords } from './refusal-example.ts'
import { schemaTable } from './schema-table.ts'

type Operation = readonly [name: string, endpoint: Endpoint]

/** Operations may use one code with different meanings. The page shows all of them. */
interface Meaning {
  readonly refusal: Refusal
  readonly operations: Operation[]
}

/** A page for each code that the service can refuse with. Operations of `documented` are linked to the reference. */
export function problemHandler(
  documented: Contract,
  others: Contract = {},
): Handler<typeof declared, Pick<PlatformServices, 'createLayout'>> {
  const meanings = meaningsByCode({ ...documented, ...others })
  return async ({ createLayout }, { params: { code }, origin }) => {
    const known = meanings.get(code) ?? refuse(problemNotFound)
    const shown = page({
      title: code,
      description: known.map(({ refusal }) => refusal.title).join(' '),
      body: problemBody(code, known, documented, origin),
      layout: createLayout({ style: 'docs' }),
    })
    return { status: 200, headers: shown.headers, body: shown.html }
  }
}

function meaningsByCode(contract: Contract): ReadonlyMap<string, readonly Meaning[]> {
  const operationsOf = new Map<Refusal, Operation[]>(commonRefusals.map((refusal) => [refusal, []]))
  for (const operation of Object.entries(contract)) {
    for (const refusal of refusalsOf(operation[1]))
      operationsOf.set(refusal, [...(operationsOf.get(refusal) ?? []), operation])
  }
  const meanings = new Map<string, Meaning[]>()
  for (const [refusal, operations] of operationsOf)
    meanings.set(refusal.code, [...(meanings.get(refusal.code) ?? []), { refusal, operations }])
  return meanings
}

const problemBody = (code: string, meanings: readonly Meaning[], documented: Contract, origin: string): Html =>
  html`<main id="main" class="docs reading">
<h1 class="code">${code}</h1>
${meanings.map((meaning) => meaningSection(meaning, documented, origin))}
<p><a href="/docs#errors">Error formats</a></p>
</main>`

function meaningSection({ refusal, operations }: Meaning, documented: Contract, origin: string): Html {
  const { code, status, title, details } = refusal
  const isCommon = commonRefusals.includes(refusal)
  const families = (['problem', 'h3'] as const).filter(
    (family) => isCommon || operations.some(([, endpoint]) => endpoint.errors === family),
  )
  return html`<section>
<p class="lead">${markdownCode(title)}</p>
<dl class="facts">
<dt>Status</dt><dd>${statusWords(status)}</dd>
${families.includes('problem') && html`<dt>In a problem document</dt><dd><code>${code}</code></dd>`}
${families.includes('h3') && html`<dt>In an H3 error</dt><dd><code>${snakeCase(code)}</code></dd>`}
${families.length === 0 && html`<dt>Shown as</dt><dd>A page</dd>`}
</dl>
<h2>What to do</h2>
<p>${hintFor(status)}</p>
${
  families.length > 0 &&
  html`<h2>Response body</h2>
${Object.keys(details).length > 0 && schemaTable('Additional fields', z.object(details))}
${families.map((family) => familyExample(refusal, family, operations, origin))}`
}
<h2>Operations</h2>
${isCommon && html`<p>Any request can get this error.</p>`}
${
  operations.length > 0 &&
  html`<ul>${operations.map(
    ([name, endpoint]) =>
      html`<li>${name in documented ? html`<a href="/docs#${name}"><code>${name}</code></a>` : html`<code>${endpoint.path}</code>`} <span class="quiet">${markdownCode(endpoint.summary)}</span></li>
`,
  )}</ul>`
}
</section>
`
}

function familyExample(
  refusal: Refusal,
  family: Exclude<ErrorFamily, 'page'>,
  operations: readonly Operation[],
  origin: string,
): Html {
  const first = operations.find(([, endpoint]) => endpoint.errors === family)?.[1]
  return html`<h3>${family === 'problem' ? 'As a problem document' : 'As an H3 error'}</h3>
${refusalExample(refusal, { family, origin, retryHint: first?.retryHint })}`
}

const hints: Readonly<Record<number, string>> = {
  401: 'Get a valid credential, then send the request again: refresh the owner session or sign in again; replace a publishing key that has expired or was revoked. Do not retry with the same credential.',
  402: 'Pay what the reply asks for, then send the request again.',
  403: 'This credential is not allowed to do this. Retrying does not help; use one that is.',
  404: 'Check the path and the ids in it. Things that were deleted or belong to someone else are not found either.',
  405: 'Check the method. The Allow header, if present, lists the methods of this path.',
  408: 'Send the same request again, without pauses in the body.',
  409: 'Read the current state and compare it with what you wanted to do. It may already be done; if not, send a new request based on the current state.',
  410: 'It is permanently gone. Remove it from your list, or request a new one.',
  411: 'Send the exact Content-Length. Most clients do so if you pass the whole body instead of a stream.',
  412: 'Read the current state, then decide again.',
  413: 'Send less. The API reference lists the maximum body size of each request.',
  415: 'Send the body as the media type in the API reference, and set Content-Type.',
  429: 'Wait for the number of seconds in the Retry-After header, then send the same request.',
  431: 'Send fewer or shorter headers. Cookies are not needed here.',
  500: 'This is our fault. Retry later, with the same Idempotency-Key if the operation takes one. If the error persists, send the request id to the operator.',
}

function hintFor(status: number): string {
  const exact = hints[status]
  if (exact !== undefined) return exact
  if (status > 500)
    return 'Send the same request again, with the same Idempotency-Key if the operation takes one. Wait as long as Retry-After says, or a little longer each time.'
  return 'Fix the request before you send it again: unchanged, it will fail in the same way. If the body has errors, each names one field.'
}
