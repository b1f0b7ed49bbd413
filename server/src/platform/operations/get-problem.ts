import type { Contract, Endpoint, ErrorFamily } from '@pennypost/contract/endpoint'
import { commonRefusals, refusalsOf } from '@pennypost/contract/errors'
import { type getProblem as declared, problemNotFound } from '@pennypost/contract/platform-operations'
import { type Refusal, snakeCase } from '@pennypost/contract/refusal'
import { z } from 'zod'
import type { Handler } from '../http/handler.ts'
import { type Html, html, markdownCode, type Page, page } from '../http/page.ts'
import { refuse } from '../http/refuse.ts'
import { refusalExample, statusWords } from './refusal-example.ts'
import { schemaTable } from './schema-table.ts'

type Operation = readonly [name: string, endpoint: Endpoint]

/** Operations may give one code different meanings; a reader wants to see all of them. */
interface Meaning {
  readonly refusal: Refusal
  readonly operations: Operation[]
}

/** A page for each code that the service can refuse with. Operations of `documented` are linked to the reference. */
export function answerProblem(documented: Contract, others: Contract = {}): Handler<typeof declared, unknown> {
  const meanings = meaningsByCode({ ...documented, ...others })
  const written = new Map<string, Page>()
  return async (_services, { params, origin }) => {
    const known = meanings.get(params.code) ?? refuse(problemNotFound)
    const address = `${origin}/problems/${params.code}`
    const problem = written.get(address) ?? problemPage(params.code, known, documented, origin)
    written.set(address, problem)
    return { status: 200, headers: problem.headers, body: problem.html }
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

function problemPage(code: string, meanings: readonly Meaning[], documented: Contract, origin: string): Page {
  return page({
    title: `${code} · Pennypost`,
    description: meanings.map(({ refusal }) => refusal.title).join(' '),
    body: html`<main id="main">
<h1 class="code">${code}</h1>
${meanings.map((meaning) => meaningSection(meaning, documented, origin))}
<p><a href="/docs#errors">How errors are written</a></p>
</main>`,
  })
}

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
${families.includes('problem') && html`<dt>In a problem</dt><dd><code>${code}</code></dd>`}
${families.includes('h3') && html`<dt>In an H3 error</dt><dd><code>${snakeCase(code)}</code></dd>`}
${families.length === 0 && html`<dt>Shown as</dt><dd>A page</dd>`}
</dl>
<h2>What to do</h2>
<p>${hintFor(status)}</p>
${
  families.length > 0 &&
  html`<h2>What the body looks like</h2>
${Object.keys(details).length > 0 && schemaTable('Fields it carries beside the usual ones', z.object(details))}
${families.map((family) => familyExample(refusal, family, operations, origin))}`
}
<h2>Who answers it</h2>
${isCommon && html`<p>Any request can meet it.</p>`}
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
  return html`<h3>${family === 'problem' ? 'As a problem' : 'As an H3 error'}</h3>
${refusalExample(refusal, { family, origin, retryHint: first?.retryHint })}`
}

const hints: Readonly<Record<number, string>> = {
  401: 'Recover the credential, then send the request again: refresh the owner session or sign in anew; replace a Publishing key that has expired or was revoked. Do not repeat the request with the same credential.',
  402: 'Pay what the answer asks for, then send the request again.',
  403: 'This credential may not do this, and repeating will not change that. Use one that may.',
  404: 'Check the address and the ids in it. What was deleted, or belongs to somebody else, looks the same from here.',
  405: 'Check the method: the Allow header, where there is one, names those that this address answers.',
  408: 'Send the same request again, with its body in one go.',
  409: 'Read the saved resource and compare it with what you meant to do. Perhaps it is done already; if not, send a new request that starts from what is there now.',
  410: 'What was here is gone for good. Drop it from your list, or ask for a new one.',
  411: 'Send the exact Content-Length. Most clients do so when they are given the whole body and not a stream.',
  412: 'Read the saved resource again, then decide anew.',
  413: 'Send less. The reference says how large the body of each request may be.',
  415: 'Send the body as the media type that the reference names, and say so in Content-Type.',
  429: 'Wait as many seconds as the Retry-After header says, then send the same request.',
  431: 'Send fewer or shorter headers. Cookies are not needed here.',
  500: 'This is our mistake. Try the same request again later, with the same Idempotency-Key if it takes one; if it goes on, tell the operator the request id.',
}

function hintFor(status: number): string {
  const exact = hints[status]
  if (exact !== undefined) return exact
  if (status > 500)
    return 'Send the very same request again, with the same Idempotency-Key if it takes one. Wait as long as Retry-After says, or a little longer each time.'
  return 'Correct the request before sending it again: unchanged, it will be refused in the same way. Where the body carries errors, each names one field.'
}
