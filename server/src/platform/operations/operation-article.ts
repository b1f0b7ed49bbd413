import type { Credential } from '@pennypost/contract/credential'
import { credentialsOf, type Endpoint, type ReplyBody } from '@pennypost/contract/endpoint'
import { refusalsOf } from '@pennypost/contract/errors'
import type { IdempotencyFlavour } from '@pennypost/contract/idempotency'
import type { Limit } from '@pennypost/contract/limit'
import { type Refusal, snakeCase } from '@pennypost/contract/refusal'
import { z } from 'zod'
import { cacheControl } from '../http/cache-control.ts'
import { type Html, html, markdownCode } from '../http/page.ts'
import { curlExample } from './curl-example.ts'
import { javascriptExample } from './javascript-example.ts'
import { schemaOf } from './named-schema.ts'
import { pythonExample } from './python-example.ts'
import { statusWords } from './refusal-example.ts'
import { requestExample } from './request-example.ts'
import { type Sample, sampleTabs } from './sample-tabs.ts'
import { type FieldRow, schemaTable } from './schema-table.ts'
import { constraintWords } from './schema-words.ts'

/** One operation of the API reference: a summary, and the details in a collapsed section. */
export function operationArticle(name: string, endpoint: Endpoint, origin: string): Html {
  return html`<article class="operation" id="${name}" aria-labelledby="${name}-name">
<h3 id="${name}-name"><a href="#${name}">${name}</a></h3>
<p class="address"><b>${endpoint.method}</b> ${endpoint.path}</p>
<p>${markdownCode(endpoint.summary)}.${endpoint.description !== undefined && html` ${markdownCode(endpoint.description)}`}</p>
<details>
<summary>Request, replies and refusals<span class="visually-hidden"> of ${name}</span></summary>
${facts(endpoint)}
<h4>Example</h4>
${sampleTabs(`${name}-sample`, operationSamples(name, endpoint, origin))}
${request(endpoint)}
<h4>Replies</h4>
${Object.entries(endpoint.replies).map(([status, body]) => reply(Number(status), body))}
${replyHeaders(endpoint)}
<h4>Refusals</h4>
${refusalTable(refusalsOf(endpoint), spellingOf(endpoint))}
</details>
</article>
`
}

/** A request to the operation in every language of our samples. */
export function operationSamples(name: string, endpoint: Endpoint, origin: string): Sample[] {
  const example = requestExample(name, endpoint, origin)
  return [
    { language: 'sh', code: curlExample(example) },
    { language: 'js', code: javascriptExample(example, origin) },
    { language: 'python', code: pythonExample(example) },
  ]
}

const spellingOf = ({ errors }: Endpoint) => (errors === 'h3' ? snakeCase : (code: string) => code)

const familyNames: Readonly<Record<Endpoint['errors'], string>> = {
  problem: 'Problem',
  h3: 'H3 error',
  page: 'A page',
  oauth: 'OAuth error',
}

function facts(endpoint: Endpoint): Html {
  const { idempotency, maxBodyBytes } = endpoint
  const limits = [...(endpoint.limits ?? []), ...(endpoint.handlerLimits ?? [])]
  return html`<dl class="facts">
<dt>Credential</dt><dd>${credentialWords(credentialsOf(endpoint))}</dd>
<dt>Idempotency-Key</dt><dd>${idempotency ? idempotencyWords(idempotency, spellingOf(endpoint)) : 'Not used'}</dd>
<dt>Limits</dt><dd>${limits.length === 0 ? 'None' : limits.map((limit) => html`<div>${limitWords(limit)}</div>`)}</dd>
${maxBodyBytes !== undefined && html`<dt>Maximum body size</dt><dd>${byteWords(maxBodyBytes)}</dd>`}
<dt>Errors</dt><dd><a href="#errors">${familyNames[endpoint.errors]}</a></dd>
<dt>Cache-Control</dt><dd><code>${cacheControl(endpoint)}</code></dd>
</dl>`
}

const credentialNames: Readonly<Record<Exclude<Credential, 'none'>, string>> = {
  'owner-session': 'an owner session',
  'publishing-key': 'a publishing key',
  'poll-secret': 'a poll secret',
  'checkout-credential': 'a checkout credential',
}

function credentialWords(credentials: readonly Credential[]): string {
  const names = credentials
    .filter((credential) => credential !== 'none')
    .map((credential) => credentialNames[credential])
  if (names.length === 0) return 'None: anyone can call it'
  const words = names.join(' or ')
  return credentials.includes('none') ? `Optional: ${words}` : words.charAt(0).toUpperCase() + words.slice(1)
}

function idempotencyWords({ required, conflict }: IdempotencyFlavour, spell: (code: string) => string): Html {
  return html`${required ? 'Required' : 'Optional'}; if it is reused for a different request, the reply is
<code>${spell(conflict.code)}</code>`
}

const spans: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour', 86400: 'a day' }
const countedPer: Readonly<Record<Limit['per'], string>> = {
  ip: 'per IP address',
  account: 'per account',
  'account-or-ip': 'per account, or per IP address without one',
  recipient: 'per recipient',
  'recipient-and-sender': 'per recipient and sender',
}

function limitWords({ name, per, max, seconds }: Limit): Html {
  const span = spans[seconds] ?? `in ${seconds} seconds`
  return html`${max} request${max !== 1 && 's'} ${span} ${countedPer[per]}, counted as <code>${name}</code>`
}

function byteWords(bytes: number): string {
  if (bytes >= 1024 ** 2) return `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`
  return bytes >= 1024 ? `${Math.round((bytes / 1024) * 10) / 10} KiB` : `${bytes} bytes`
}

function request(endpoint: Endpoint): Html | undefined {
  const { params, query, headers, body } = endpoint.request ?? {}
  const keyRows = idempotencyRows(endpoint)
  const headerTable = (headers || keyRows.length > 0) && schemaTable('Headers', headers ?? z.object({}), ...keyRows)
  if (!params && !query && !headerTable && !body) return undefined
  return html`<h4>Request</h4>
${params && schemaTable('Path', params)}
${query && schemaTable('Query', query)}
${headerTable}
${requestBody(endpoint)}`
}

function idempotencyRows({ idempotency }: Endpoint): FieldRow[] {
  if (!idempotency) return []
  const { required, key, description } = idempotency
  const { schema } = schemaOf(key)
  return [
    {
      path: 'idempotency-key',
      isRequired: required,
      type: html`string`,
      constraints: constraintWords(schema),
      description,
    },
  ]
}

function requestBody({ request }: Endpoint): Html | undefined {
  const body = request?.body
  if (!body) return undefined
  if (!('kind' in body)) {
    const isOptional = body.safeParse(undefined).success
    return schemaTable(`Body, application/json${isOptional ? ', optional' : ''}`, body)
  }
  if (body.kind === 'stream')
    return html`<p><b>Body, ${body.contentType}</b>: the raw bytes, at most ${byteWords(body.maxBytes)}. Send the exact Content-Length.</p>`
  if (body.kind === 'url-encoded') return schemaTable('Body, application/x-www-form-urlencoded', body.fields)
  const file: FieldRow = {
    path: body.file.field,
    isRequired: true,
    type: html`file`,
    constraints: [html`at most ${byteWords(body.file.maxBytes)}`],
    description: undefined,
  }
  return schemaTable('Body, multipart/form-data', body.fields, file)
}

function reply(status: number, body: ReplyBody): Html {
  if (!('kind' in body)) return schemaTable(statusWords(status), body)
  const types = body.kind === 'raw' ? [body.contentType, ...(body.otherContentTypes ?? [])] : []
  const type = types.map((mediaType) => html`<code>${mediaType}</code> `)
  return html`<p><b>${statusWords(status)}</b>: ${type}${markdownCode(body.description)}</p>`
}

function replyHeaders({ replyHeaders }: Endpoint): Html | undefined {
  if (!replyHeaders) return undefined
  return html`<table>
<caption>Reply headers</caption>
<thead><tr><th scope="col">Header</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${Object.entries(replyHeaders).map(([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td>${markdownCode(meaning)}</td></tr>`)}
</tbody>
</table>`
}

/** Refusals by status, each with a link to its page. */
export function refusalTable(refusals: readonly Refusal[], spell: (code: string) => string): Html {
  const sorted = [...refusals].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return html`<table>
<caption class="visually-hidden">Refusals</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${sorted.map(({ code, status, title, details }) => {
  const carried = Object.keys(details).map((key) => html` <code>${key}</code>`)
  return html`<tr><th scope="row"><a href="/problems/${code}"><code>${spell(code)}</code></a> <small>${status}</small></th>
<td>${markdownCode(title)}${carried.length > 0 && html`<span class="type"> Includes${carried}.</span>`}</td></tr>
`
})}</tbody>
</table>`
}
