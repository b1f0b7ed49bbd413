import { z } from 'zod'
import type { RawBody } from './body.ts'
import { credentialSchemes } from './credential.ts'
import { type Contract, credentialsOf, type Endpoint, type ReplyBody, type RequestBody } from './endpoint.ts'
import { OAuthError, refusalsOf } from './errors.ts'
import { exampleOf } from './example.ts'
import { type JsonSchema, openApiSchema } from './json-schema.ts'
import { oauthScopes } from './oauth-scopes.ts'
import { operationExamples } from './operation-examples.ts'
import { scopesOf } from './operation-scopes.ts'
import { type Refusal, snakeCase } from './refusal.ts'
import { refusalSchema } from './refusal-schema.ts'

/** The OpenAPI 3.1.0 document of a contract. `servers` are its base URLs; every one has all operations. */
export function openApiDocument(contract: Contract, servers: readonly string[], title = 'Pennypost'): JsonSchema {
  const schemas: Schemas = {}
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [name, endpoint] of Object.entries(contract)) {
    paths[endpoint.path] ??= {}
    paths[endpoint.path]![endpoint.method.toLowerCase()] = operation(name, endpoint, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '2.0.0',
      summary: 'Publish posts, and buy or tip them for cents with Nano or Base USDC.',
      contact: { name: title, ...(servers[0] !== undefined && { url: servers[0] }) },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: servers.map((url) => ({ url })),
    tags: [...new Set(Object.values(contract).map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        ...Object.fromEntries(
          Object.values(credentialSchemes).map(({ scheme, bearerFormat, description }) => [
            scheme,
            { type: 'http', scheme: 'bearer', bearerFormat, description },
          ]),
        ),
        oauth: oauthScheme(servers[0] ?? ''),
      },
    },
  }
}

const oauthScheme = (server: string): JsonSchema => ({
  type: 'oauth2',
  description: 'Access token of a program that a person has connected, by OAuth 2.1 with PKCE.',
  flows: {
    authorizationCode: {
      authorizationUrl: `${server}/oauth/authorize`,
      tokenUrl: `${server}/oauth/token`,
      refreshUrl: `${server}/oauth/token`,
      scopes: Object.fromEntries(Object.entries(oauthScopes).map(([name, { description }]) => [name, description])),
    },
  },
})

type Schemas = Record<string, JsonSchema>

function operation(name: string, endpoint: Endpoint, schemas: Schemas): JsonSchema {
  const parameters = [
    ...fields('path', endpoint.request?.params, schemas),
    ...fields('query', endpoint.request?.query, schemas),
    ...fields('header', endpoint.request?.headers, schemas),
  ]
  if (endpoint.idempotency) {
    const { required, description, key } = endpoint.idempotency
    const example = '5d0c1d6e-58c7-4f3e-a5a9-1f0e0f6f7c11'
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required,
      description,
      schema: share(key, schemas),
      example,
    })
  }
  const credentials = credentialsOf(endpoint)
  const isPublic = credentials.every((credential) => credential === 'none')
  // An empty list is a public operation. An empty object is the choice to send none of the credentials.
  const security = isPublic
    ? []
    : [
        ...credentials.map((credential) =>
          credential === 'none' ? {} : { [credentialSchemes[credential].scheme]: [] },
        ),
        ...scopesOf(name).map((scope) => ({ oauth: [scope] })),
      ]
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    security,
    ...(endpoint.paidWith && { 'x-payment-info': paymentInfo(endpoint.paidWith) }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.request?.body && { requestBody: requestBody(name, endpoint.request.body, schemas) }),
    // A declared reply replaces the refusals of the same status: readiness replies with 503.
    responses: { ...refusals(endpoint, schemas), ...replies(name, endpoint, schemas) },
  }
}

/** Payment information for directories of paid APIs. The actual price is in the 402 reply. */
const paymentInfo = ({ protocol, minUsd }: NonNullable<Endpoint['paidWith']>): JsonSchema => ({
  price: { mode: 'dynamic', currency: 'USD', ...(minUsd && { min: minUsd }) },
  protocols: [{ [protocol]: {} }],
})

// OpenAPI describes these by other means and ignores parameters with such names.
const describedElsewhere = new Set(['accept', 'authorization', 'content-type'])

function fields(place: string, schema: z.ZodObject | undefined, schemas: Schemas): JsonSchema[] {
  if (!schema) return []
  const required = new Set((openApiSchema(schema).required as string[] | undefined) ?? [])
  const shown = Object.entries(schema.shape).filter(
    ([name, field]) => place !== 'header' || !(describedElsewhere.has(name) || isForbidden(field as z.ZodType)),
  )
  return shown.map(([name, field]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: share(field as z.ZodType, schemas),
    example: exampleOf(field as z.ZodType, name),
  }))
}

/** A header that must not be sent is described in words. */
const isForbidden = (field: z.ZodType): boolean =>
  field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodNever

const upperCaseHeaders = /^(payment-|sign-in-with-x$)/
const headerSpellings: Readonly<Record<string, string>> = {
  etag: 'ETag',
  'ai-disclosure': 'AI-Disclosure',
  'www-authenticate': 'WWW-Authenticate',
}

/** The usual spelling of a header. Clients may send any other. */
function headerName(name: string): string {
  const lower = name.toLowerCase()
  if (upperCaseHeaders.test(lower)) return lower.toUpperCase()
  return headerSpellings[lower] ?? lower.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}

function requestBody(name: string, body: RequestBody, schemas: Schemas): JsonSchema {
  if (!('kind' in body)) {
    const example = operationExamples[name]?.body ?? exampleOf(body, 'body')
    return {
      required: !body.safeParse(undefined).success,
      content: { 'application/json': { schema: share(body, schemas), example } },
    }
  }
  if (body.kind === 'stream') return { required: true, content: { [body.contentType]: { schema: bytes } } }
  if (body.kind === 'url-encoded')
    return { required: true, content: { 'application/x-www-form-urlencoded': { schema: share(body.fields, schemas) } } }
  const form = share(body.fields, schemas) as { properties?: JsonSchema; required?: string[] }
  const schema = {
    ...form,
    properties: { ...form.properties, [body.file.field]: bytes },
    required: [...(form.required ?? []), body.file.field],
  }
  const encoding = body.file.contentTypes && {
    encoding: { [body.file.field]: { contentType: body.file.contentTypes.join(', ') } },
  }
  return { required: true, content: { 'multipart/form-data': { schema, ...encoding } } }
}

const bytes: JsonSchema = { type: 'string', format: 'binary' }

function replies(name: string, endpoint: Endpoint, schemas: Schemas): JsonSchema {
  const declared = headersOf({
    ...endpoint.replyHeaders,
    ...(endpoint.conditional && { ETag: 'Changes whenever the reply changes.' }),
  })
  const statuses = Object.keys(endpoint.replies)
  return {
    ...Object.fromEntries(
      Object.entries(endpoint.replies).map(([status, body]) => {
        const headers = { ...declared, ...headersOf(headersByStatus[status] ?? {}) }
        const example = status === statuses[0] ? operationExamples[name]?.reply : undefined
        const shown = reply(status, body, schemas, example)
        if (endpoint.events && status === '200') {
          const schema = { type: 'string', description: endpoint.events }
          shown.content['text/event-stream'] = { schema, example: operationExamples[name]?.events }
        }
        return [status, { ...shown, ...(Object.keys(headers).length > 0 && { headers }) }]
      }),
    ),
    ...(endpoint.conditional && {
      304: { description: 'The copy named by `If-None-Match` is still current.', headers: declared },
    }),
  }
}

const headersOf = (descriptions: Readonly<Record<string, string>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [
      headerName(name),
      { description, schema: { type: name.toLowerCase() === 'retry-after' ? 'integer' : 'string' } },
    ]),
  )

/** Headers of every reply and refusal with this status. */
const headersByStatus: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': '`Bearer`; for the token of a program, also where tokens come from.' },
  429: { 'Retry-After': 'The seconds to wait before the next attempt.' },
  503: { 'Retry-After': 'The seconds to wait before sending the same request again.' },
}

const statusDescriptions: Readonly<Record<string, string>> = {
  201: 'Created.',
  202: 'Accepted. The work continues in the background.',
  402: 'Payment required.',
  503: 'Not ready.',
}

type Shown = { readonly description: string; readonly content: Record<string, JsonSchema> } & JsonSchema

function reply(status: string, body: ReplyBody, schemas: Schemas, given: unknown): Shown {
  if (!('kind' in body)) {
    const example = given ?? exampleOf(body, 'reply', { withOptional: true })
    const content = { 'application/json': { schema: share(body, schemas), example } }
    return { description: statusDescriptions[status] ?? 'Success.', content }
  }
  if (body.kind === 'nothing') return { description: body.description } as Shown
  return { description: body.description, content: rawContent(body, given) }
}

function rawContent({ contentType, otherContentTypes = [] }: RawBody, example: unknown): Record<string, JsonSchema> {
  // OpenAPI wants media types without their parameters.
  const types = [contentType, ...otherContentTypes].map((type) => type.split(';')[0]!)
  return Object.fromEntries(
    types.map((type) => [type, { schema: rawSchema(type), ...(example !== undefined && { example }) }]),
  )
}

function rawSchema(type: string): JsonSchema {
  if (type === 'application/json') return { type: 'object' }
  return /^image\/|^application\/(zip|octet-stream)$/.test(type) ? bytes : { type: 'string' }
}

function refusals(endpoint: Endpoint, schemas: Schemas): JsonSchema {
  const isH3 = endpoint.errors === 'h3'
  const all = refusalsOf(endpoint)
  return Object.fromEntries(
    [...new Set(all.map(({ status }) => status))].map((status) => {
      const refused = all.filter((refusal) => refusal.status === status)
      const lines = refused.map(({ code, title }) => `\`${isH3 ? snakeCase(code) : code}\`: ${title}`)
      const headers = headersByStatus[status]
      return [
        status,
        {
          description: lines.join('\n\n'),
          ...(headers && { headers: headersOf({ ...headers, ...headersOfRefusal(endpoint, status) }) }),
          content: refusalContent(endpoint, refused, schemas),
        },
      ]
    }),
  )
}

/** A 401 with a challenge for a wallet carries it in a header, as the 402 does. */
const headersOfRefusal = ({ replyHeaders }: Endpoint, status: number): Readonly<Record<string, string>> =>
  status === 401 && replyHeaders?.['PAYMENT-REQUIRED'] ? { 'PAYMENT-REQUIRED': replyHeaders['PAYMENT-REQUIRED'] } : {}

function refusalContent({ errors, recovers }: Endpoint, refused: readonly Refusal[], schemas: Schemas): JsonSchema {
  if (errors === 'page') return { 'text/html': { schema: { type: 'string' } } }
  if (errors === 'oauth') return { 'application/json': { schema: share(OAuthError, schemas) } }
  const schema = refusalSchema(refused, {
    family: errors,
    hasRecovery: recovers === true,
    share: (part) => share(part, schemas),
    name: (id, component) => {
      schemas[id] = component
      return { $ref: `#/components/schemas/${id}` }
    },
  })
  return { [errors === 'problem' ? 'application/problem+json' : 'application/json']: { schema } }
}

// Schemas with an id become shared components.
function share(schema: z.ZodType, schemas: Schemas): JsonSchema {
  const whole = openApiSchema(schema)
  const { $defs, ...inline } = whole as { $defs?: Record<string, JsonSchema> } & JsonSchema
  for (const [id, definition] of Object.entries($defs ?? {})) schemas[id] = pointToComponents(definition)
  const id = inline.id
  if (typeof id !== 'string') return pointToComponents(inline)
  schemas[id] = pointToComponents(inline)
  return { $ref: `#/components/schemas/${id}` }
}

function pointToComponents<T>(node: T): T {
  if (Array.isArray(node)) return node.map(pointToComponents) as T
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== 'id' || typeof (node as JsonSchema).id !== 'string')
      .map(([key, value]) => [
        key === 'anyOf' && isEither(value) ? 'oneOf' : key,
        key === '$ref' && typeof value === 'string'
          ? value.replace('#/$defs/', '#/components/schemas/')
          : pointToComponents(value),
      ]),
  ) as T
}

/** The alternatives of every union in the contract exclude each other. A nullable value is not one: it stays `anyOf`. */
const isEither = (options: unknown): boolean =>
  Array.isArray(options) && options.every((option: JsonSchema) => option.type !== 'null')
