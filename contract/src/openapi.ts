import type { z } from 'zod'
import { credentialSchemes } from './credential.ts'
import { type Contract, credentialsOf, type Endpoint, type ReplyBody, type RequestBody } from './endpoint.ts'
import { H3Error, Problem, refusalsOf } from './errors.ts'
import { type JsonSchema, jsonSchema } from './json-schema.ts'
import { snakeCase } from './refusal.ts'

/** The OpenAPI 3.1.0 document of a contract. */
export function openApiDocument(contract: Contract, servers: readonly string[]): JsonSchema {
  const schemas: Record<string, JsonSchema> = {}
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const [name, endpoint] of Object.entries(contract)) {
    paths[endpoint.path] ??= {}
    paths[endpoint.path]![endpoint.method.toLowerCase()] = operation(name, endpoint, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pennypost',
      version: '2.0.0',
      summary: 'Publish posts, and buy or tip them for cents with Nano or Base USDC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: servers.map((url) => ({ url })),
    tags: [...new Set(Object.values(contract).map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: Object.fromEntries(
        Object.values(credentialSchemes).map(({ scheme, bearerFormat, description }) => [
          scheme,
          { type: 'http', scheme: 'bearer', bearerFormat, description },
        ]),
      ),
    },
  }
}

function operation(name: string, endpoint: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const parameters = [
    ...fields('path', endpoint.request?.params, schemas),
    ...fields('query', endpoint.request?.query, schemas),
    ...fields('header', endpoint.request?.headers, schemas),
  ]
  if (endpoint.idempotency) {
    const { required, description, key } = endpoint.idempotency
    parameters.push({ name: 'Idempotency-Key', in: 'header', required, description, schema: share(key, schemas) })
  }
  const security = credentialsOf(endpoint).map((credential) =>
    credential === 'none' ? {} : { [credentialSchemes[credential].scheme]: [] },
  )
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    security,
    ...(endpoint.paidWith && { 'x-payment-info': paymentInfo(endpoint.paidWith) }),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.request?.body && { requestBody: requestBody(endpoint.request.body, schemas) }),
    // A declared reply replaces the refusals of the same status: readiness replies with 503.
    responses: { ...refusals(endpoint, schemas), ...replies(endpoint, schemas) },
  }
}

/** What directories of paid APIs look for. The actual price is in the 402 reply. */
const paymentInfo = ({ protocol, minUsd }: NonNullable<Endpoint['paidWith']>): JsonSchema => ({
  price: { mode: 'dynamic', currency: 'USD', ...(minUsd && { min: minUsd }) },
  protocols: [{ [protocol]: {} }],
})

function fields(place: string, schema: z.ZodObject | undefined, schemas: Record<string, JsonSchema>): JsonSchema[] {
  if (!schema) return []
  const required = new Set((jsonSchema(schema, 'draft-2020-12').required as string[] | undefined) ?? [])
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: share(field as z.ZodType, schemas),
  }))
}

function requestBody(body: RequestBody, schemas: Record<string, JsonSchema>): JsonSchema {
  if (!('kind' in body)) {
    return {
      required: !body.safeParse(undefined).success,
      content: { 'application/json': { schema: share(body, schemas) } },
    }
  }
  if (body.kind === 'stream') {
    return { required: true, content: { [body.contentType]: { schema: { type: 'string', format: 'binary' } } } }
  }
  const form = share(body.fields, schemas) as { properties?: JsonSchema; required?: string[] }
  const schema = {
    ...form,
    properties: { ...form.properties, [body.file.field]: { type: 'string', format: 'binary' } },
    required: [...(form.required ?? []), body.file.field],
  }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

function replies(endpoint: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const headers = Object.fromEntries(
    Object.entries({
      ...endpoint.replyHeaders,
      ...(endpoint.conditional && { ETag: 'Changes whenever the reply changes.' }),
    }).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
  return {
    ...Object.fromEntries(
      Object.entries(endpoint.replies).map(([status, body]) => [
        status,
        { ...reply(body, schemas, endpoint.events), ...(Object.keys(headers).length > 0 && { headers }) },
      ]),
    ),
    ...(endpoint.conditional && { 304: { description: 'The copy named by `If-None-Match` is still current.' } }),
  }
}

function reply(body: ReplyBody, schemas: Record<string, JsonSchema>, events?: string): JsonSchema {
  if (!('kind' in body)) {
    const stream = events && { 'text/event-stream': { schema: { type: 'string', description: events } } }
    return { description: 'Success.', content: { 'application/json': { schema: share(body, schemas) }, ...stream } }
  }
  if (body.kind === 'nothing') return { description: body.description }
  // OpenAPI wants the media type without its parameters.
  const [contentType = ''] = body.contentType.split(';')
  const schema = contentType === 'application/json' ? { type: 'object' } : { type: 'string' }
  return { description: body.description, content: { [contentType]: { schema } } }
}

function refusals(endpoint: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const isH3 = endpoint.errors === 'h3'
  const byStatus: Record<string, { description: string; content: JsonSchema }> = {}
  for (const { code, status, title } of refusalsOf(endpoint)) {
    const line = `\`${isH3 ? snakeCase(code) : code}\`: ${title}`
    const known = byStatus[status]
    byStatus[status] = {
      description: known ? `${known.description}\n\n${line}` : line,
      content: refusalContent(endpoint, schemas),
    }
  }
  return byStatus
}

function refusalContent({ errors }: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  if (errors === 'page') return { 'text/html': { schema: { type: 'string' } } }
  return errors === 'problem'
    ? { 'application/problem+json': { schema: share(Problem, schemas) } }
    : { 'application/json': { schema: share(H3Error, schemas) } }
}

// Schemas with an id become shared components.
function share(schema: z.ZodType, schemas: Record<string, JsonSchema>): JsonSchema {
  const whole = jsonSchema(schema, 'draft-2020-12')
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
        key,
        key === '$ref' && typeof value === 'string'
          ? value.replace('#/$defs/', '#/components/schemas/')
          : pointToComponents(value),
      ]),
  ) as T
}
