import { credentialSchemes } from '@pennypost/contract/credential'
import type { Contract, Endpoint } from '@pennypost/contract/endpoint'
import { commonRefusals, H3Error, Problem, rateLimited, refusalsOf } from '@pennypost/contract/errors'
import { renderToString } from '@pennypost/site/jsx/markup'
import { z } from 'zod'
import { type Html, html, markdownCode } from '../http/page.ts'
import { namedSchemas, type SchemaPart } from './named-schema.ts'
import { operationArticle, refusalTable } from './operation-article.ts'
import { refusalExample } from './refusal-example.ts'
import { tokenVariables } from './request-example.ts'
import { partTable, schemaTable } from './schema-table.ts'
import { originMark } from './written-docs.ts'

/** A guide that the reference links to. */
export interface GuideLink {
  readonly slug: string
  readonly group: string
  readonly title: string
  readonly description: string
}

/** The reference, with a mark instead of our origin. The build renders it: that takes a second. */
export const renderReference = (contract: Contract, guides: readonly GuideLink[] = []): string =>
  renderToString(docsBody(contract, guides, originMark))

interface Chapter {
  readonly tag: string
  readonly anchor: string
  readonly operations: readonly (readonly [name: string, endpoint: Endpoint])[]
}

function docsBody(contract: Contract, guides: readonly GuideLink[], origin: string): Html {
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
  return html`<div class="docs with-contents reference">
<div class="docs-search" data-docs-search></div>
${contents(chapters, objects, guides.length > 0)}
<main id="main" class="wide">
${introduction(guides, origin)}
${chapters.map((chapter) => chapterSection(chapter, origin))}
${objectsSection(objects)}
</main>
</div>`
}

function contents(chapters: readonly Chapter[], objects: ReadonlyMap<string, SchemaPart>, hasGuides: boolean): Html {
  return html`<nav class="contents" id="contents" aria-labelledby="contents-title">
<h2 id="contents-title">Contents</h2>
<ul>
<li><a href="#introduction">Introduction</a></li>
${hasGuides && html`<li><a href="#guides">Guides</a></li>`}
${chapters.map(
  ({ tag, anchor, operations }) => html`<li><a href="#${anchor}">${tag}</a>
<ul>${operations.map(([name]) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></li>
`,
)}
${objects.size > 0 && html`<li><a href="#objects">Objects</a></li>`}
</ul>
</nav>`
}

function introduction(guides: readonly GuideLink[], origin: string): Html {
  const {
    'owner-session': session,
    'publishing-key': key,
    'poll-secret': poll,
    'checkout-credential': checkout,
  } = credentialSchemes
  return html`<h1 id="introduction">API reference</h1>
<p class="lead">Everything in this service is available through the operations below. The base URL is
<code>${origin}</code>. The same contract is available for programs as
<a href="/openapi.json">OpenAPI 3.1</a>; what only administrators do is in
<a href="/openapi-admin.json">a second document</a>.</p>
${guideList(guides)}

<h2 id="credentials">Credentials</h2>
<p>There are four kinds, all sent as <code>Authorization: Bearer</code>. Each operation says which kinds it accepts.</p>
<dl class="facts">
<dt>Owner session</dt><dd>${markdownCode(session.description)} Examples below read it from <code>$${tokenVariables['owner-session']}</code>.</dd>
<dt>Publishing key</dt><dd>${markdownCode(key.description)} It looks like <code>${key.bearerFormat}</code>; examples read it from
<code>$${tokenVariables['publishing-key']}</code>.</dd>
<dt>Poll secret</dt><dd>${markdownCode(poll.description)} It looks like <code>${poll.bearerFormat}</code>.</dd>
<dt>Checkout credential</dt><dd>${markdownCode(checkout.description)} It looks like <code>${checkout.bearerFormat}</code>.</dd>
</dl>

<h2 id="errors">Errors</h2>
<p>Errors have one of two formats. Most paths below <code>/api/v1/</code> return a problem document, other
<code>/api/</code> paths an H3 error; each operation says which. Every code has a page below <code>/problems/</code>,
whatever the format. Rely on the code, not on the message: messages can change.</p>
<h3>Problem</h3>
<p>The code is in <code>code</code> and at the end of the URL in <code>type</code>, in kebab-case.</p>
${refusalExample(rateLimited, { family: 'problem', origin })}
${schemaTable('Fields of a problem', Problem)}
<h3>H3 error</h3>
<p>The code is in <code>data.code</code>, in snake_case. Further details are in <code>data</code> too.</p>
${refusalExample(rateLimited, { family: 'h3', origin })}
${schemaTable('Fields of an H3 error', H3Error)}
<h3>Errors of any request</h3>
<p>Besides the errors that an operation lists, any request can get one of these.</p>
${refusalTable(commonRefusals, (code) => code)}

<h2 id="idempotency">Retrying a request</h2>
<p>Operations that take an <code>Idempotency-Key</code> can be retried safely when a reply was lost. Choose the key and save
it before you send the request. The same key with the same content returns the first reply again; the same key with other
content is refused. Each operation says which format its key has.</p>
`
}

function guideList(guides: readonly GuideLink[]): Html | false {
  const groups = [...new Set(guides.map(({ group }) => group))]
  return (
    groups.length > 0 &&
    html`<h2 id="guides">Guides</h2>
<div class="guides">
${groups.map(
  (title) => html`<section><h3>${title}</h3>
<ul>${guides
    .filter(({ group }) => group === title)
    .map(
      (guide) => html`<li><a href="/docs/${guide.slug}">${guide.title}</a> <span>${guide.description}</span></li>\n`,
    )}</ul></section>
`,
)}
</div>`
  )
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
<p>Objects that several operations use.</p>
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

/** Every schema that the reference shows as a table. */
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
