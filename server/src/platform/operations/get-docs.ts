import { credentialSchemes } from '@pennypost/contract/credential'
import type { Contract, Endpoint } from '@pennypost/contract/endpoint'
import { commonRefusals, H3Error, Problem, rateLimited, refusalsOf } from '@pennypost/contract/errors'
import type { getDocs as declared } from '@pennypost/contract/platform-operations'
import { z } from 'zod'
import type { Handler } from '../http/handler.ts'
import { type Html, html, markdownCode, type Page, page } from '../http/page.ts'
import { tokenVariables } from './curl-example.ts'
import { namedSchemas, type SchemaPart } from './named-schema.ts'
import { operationArticle, refusalTable } from './operation-article.ts'
import { refusalExample } from './refusal-example.ts'
import { partTable, schemaTable } from './schema-table.ts'

/** The page is written once for each origin it is asked on. */
export function answerDocs(contract: Contract): Handler<typeof declared, unknown> {
  const written = new Map<string, Page>()
  return async (_services, { origin }) => {
    const docs = written.get(origin) ?? docsPage(contract, origin)
    written.set(origin, docs)
    return { status: 200, headers: docs.headers, body: docs.html }
  }
}

interface Chapter {
  readonly tag: string
  readonly anchor: string
  readonly operations: readonly (readonly [name: string, endpoint: Endpoint])[]
}

function docsPage(contract: Contract, origin: string): Page {
  const operations = Object.entries(contract)
  const tags = [...new Set(operations.map(([, { tag }]) => tag))]
  const chapters = tags.map(
    (tag): Chapter => ({
      tag,
      anchor: `chapter-${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      operations: operations.filter(([, endpoint]) => endpoint.tag === tag),
    }),
  )
  const objects = namedSchemas(schemasIn(contract))
  return page({
    title: 'API reference · Pennypost',
    description: 'Every operation of this Pennypost service: what it takes, what it answers and how it refuses.',
    body: html`${contents(chapters, objects)}
<main id="main">
${introduction(origin)}
${chapters.map((chapter) => chapterSection(chapter, origin))}
${objectsSection(objects)}
</main>`,
  })
}

function contents(chapters: readonly Chapter[], objects: ReadonlyMap<string, SchemaPart>): Html {
  return html`<nav class="contents" id="contents" aria-labelledby="contents-title">
<h2 id="contents-title">Contents</h2>
<ul>
<li><a href="#introduction">Introduction</a></li>
${chapters.map(
  ({ tag, anchor, operations }) => html`<li><a href="#${anchor}">${tag}</a>
<ul>${operations.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></li>
`,
)}
${objects.size > 0 && html`<li><a href="#objects">Objects</a></li>`}
</ul>
</nav>`
}

function introduction(origin: string): Html {
  const {
    'owner-session': session,
    'publishing-key': key,
    'poll-secret': poll,
    'checkout-credential': checkout,
  } = credentialSchemes
  return html`<h1 id="introduction">API reference</h1>
<p class="lead">Everything this service does, it does through the operations below. The base address is
<code>${origin}</code>. The same contract is there for machines as
<a href="/openapi.json">OpenAPI 3.1</a>.</p>

<h2 id="credentials">Credentials</h2>
<p>There are four, all sent as <code>Authorization: Bearer</code>. An operation says which it takes; one kind never
stands in for the other.</p>
<dl class="facts">
<dt>Owner session</dt><dd>${markdownCode(session.description)} Examples below read it from <code>$${tokenVariables['owner-session']}</code>.</dd>
<dt>Publishing key</dt><dd>${markdownCode(key.description)} It looks like <code>${key.bearerFormat}</code>; examples read it from
<code>$${tokenVariables['publishing-key']}</code>.</dd>
<dt>Poll secret</dt><dd>${markdownCode(poll.description)} It looks like <code>${poll.bearerFormat}</code>.</dd>
<dt>Checkout credential</dt><dd>${markdownCode(checkout.description)} It looks like <code>${checkout.bearerFormat}</code>.</dd>
</dl>

<h2 id="errors">Errors</h2>
<p>A request is refused in one of two families. Addresses below <code>/api/v1/</code> mostly answer a problem, other
<code>/api/</code> addresses an H3 error; each operation says which. Every code has a page of its own below
<code>/problems/</code>, whichever family spells it. Read the code, not the sentence: sentences may change.</p>
<h3>Problem</h3>
<p>The code stands in <code>code</code> and ends the address in <code>type</code>, in kebab-case.</p>
${refusalExample(rateLimited, { family: 'problem', origin })}
${schemaTable('Fields of a problem', Problem)}
<h3>H3 error</h3>
<p>The code stands in <code>data.code</code>, in snake_case, and so does what else the refusal carries.</p>
${refusalExample(rateLimited, { family: 'h3', origin })}
${schemaTable('Fields of an H3 error', H3Error)}
<h3>What any request can meet</h3>
<p>Besides what an operation lists, these are answered before an operation is found, or when we fail.</p>
${refusalTable(commonRefusals, (code) => code)}

<h2 id="idempotency">Repeating a request</h2>
<p>Operations that take an <code>Idempotency-Key</code> can be sent again when an answer was lost. Choose the key and save
it before you send. The same key with the same content answers what was answered before; the same key with other content
is refused. Each operation says which form its key has.</p>
`
}

function chapterSection({ tag, anchor, operations }: Chapter, origin: string): Html {
  return html`<section aria-labelledby="${anchor}">
<h2 id="${anchor}">${tag}</h2>
${operations.map(([name, endpoint]) => operationArticle(name, endpoint, origin))}
<p class="back"><a href="#contents">Contents</a></p>
</section>
`
}

function objectsSection(objects: ReadonlyMap<string, SchemaPart>): Html | false {
  return (
    objects.size > 0 &&
    html`<section aria-labelledby="objects">
<h2 id="objects">Objects</h2>
<p>What several operations share.</p>
${[...objects].map(
  ([name, part]) => html`<article class="object" id="object-${name}">
<h3><a href="#object-${encodeURIComponent(name)}">${name}</a></h3>
${typeof part.schema.description === 'string' && html`<p>${markdownCode(part.schema.description)}</p>`}
<details>
<summary>Fields</summary>
${partTable(name, part)}
</details>
</article>
`,
)}
<p class="back"><a href="#contents">Contents</a></p>
</section>`
  )
}

/** Every schema that a table of the reference is made from. */
function* schemasIn(contract: Contract): Iterable<z.ZodType> {
  yield Problem
  yield H3Error
  for (const endpoint of Object.values(contract)) {
    const { params, query, headers, body } = endpoint.request ?? {}
    for (const schema of [params, query, headers]) if (schema) yield schema
    if (body && !('kind' in body)) yield body
    if (body && 'kind' in body && body.kind === 'multipart') yield body.fields
    for (const reply of Object.values(endpoint.replies)) if (!('kind' in reply)) yield reply
    for (const { details } of refusalsOf(endpoint)) yield z.object(details)
  }
}
