import { deepEqual, doesNotThrow, equal, ok } from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { adminContract, contract, publicContract } from '@pennypost/contract/contract'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { refusalsOf } from '@pennypost/contract/errors'
import type { JsonSchema } from '@pennypost/contract/json-schema'
import { openApiDocument } from '@pennypost/contract/openapi'
import { getAdminOpenApi, getOpenApi, getReadiness } from '@pennypost/contract/platform-operations'
import type { AnySchema, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { refuse } from '../platform/http/refuse.ts'
import { type OpenApiDocument, snapshotOf } from './openapi-snapshot.ts'
import { createWorld, sharedWorld } from './world.ts'

const folder = fileURLToPath(new URL('../../src/test/openapi', import.meta.url))

interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: JsonSchema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, JsonSchema>>
        readonly content?: Readonly<Record<string, MediaType>>
      }
    >
  >
}

const document = JSON.parse(JSON.stringify(openApiDocument(contract, ['http://pennypost.test']))) as {
  readonly info: { readonly contact: object }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', ...document } as AnySchema)
const validators = new Map<string, ValidateFunction>()

/** Why a value does not match a schema of the document. */
function mismatch(schema: JsonSchema, value: unknown): string | undefined {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text))
  validators.set(text, validate)
  return validate(value) ? undefined : JSON.stringify(validate.errors)
}

async function writeSnapshot(files: ReadonlyMap<string, string>): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [name, text] of files) await writeFile(join(folder, name), text)
}

test('the OpenAPI document matches its reviewed snapshot; UPDATE_SNAPSHOTS=1 writes a new one', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const { body } = await person.calls(getOpenApi, {})
  equal(body.openapi, '3.1.0')
  equal(body.info.version, '2.0.0')
  const { body: admin } = await person.calls(getAdminOpenApi, {})
  const adminFiles = [...snapshotOf(admin as OpenApiDocument)].map(([name, text]) => [`admin-${name}`, text] as const)
  const files = new Map([...snapshotOf(body as OpenApiDocument), ...adminFiles])
  if (process.env.UPDATE_SNAPSHOTS) await writeSnapshot(files)
  deepEqual((await readdir(folder)).sort(), [...files.keys()].sort())
  for (const [name, text] of files) equal(text, await readFile(join(folder, name), 'utf8'), name)
})

test('the OpenAPI document has every operation once, and every reference resolves', () => {
  deepEqual(operations.map(({ operationId }) => operationId).sort(), Object.keys(contract).sort())
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map((found) => found[1]!)
  ok(references.length > 0)
  for (const name of references) ok(name in document.components.schemas, name)
  ok(!text.includes('$defs'))
})

test('what administrators do is in a second document, and only there', async (t) => {
  const person = (await sharedWorld(t)).stranger()
  const namesIn = async (declared: typeof getOpenApi | typeof getAdminOpenApi) => {
    const { body } = await person.calls(declared, {})
    return Object.values((body as typeof document).paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
  }
  const [open, admin] = [await namesIn(getOpenApi), await namesIn(getAdminOpenApi)]
  deepEqual(open.sort(), Object.keys(publicContract).sort())
  deepEqual(admin.sort(), Object.keys(adminContract).sort())
  deepEqual([...open, ...admin].sort(), Object.keys(contract).sort())
  ok(admin.includes('suspendAccount') && admin.includes('listReports'))
  for (const name of admin) ok((contract as Readonly<Record<string, Endpoint>>)[name]!.path.startsWith('/api/v1/admin'))
})

test('a public operation has no security, one that may be called without a credential says so, and there is a contact', () => {
  const find = (name: string) => operations.find(({ operationId }) => operationId === name)!
  deepEqual(find('listPublicPosts').security, [])
  deepEqual(find('getAccess').security, [{ ownerSession: [] }, {}, { oauth: ['read'] }])
  deepEqual(find('createPost').security, [{ publishingKey: [] }, { oauth: ['publish'] }])
  ok(operations.every(({ security }) => JSON.stringify(security) !== '[{}]'))
  deepEqual(document.info.contact, { name: 'Pennypost', url: 'http://pennypost.test' })
})

test('`servers` names both base URLs, the one that was asked first', async (t) => {
  const world = await createWorld(t, { settings: { ALT_BASE_URL: 'http://second.test' } })
  const serversAt = async (host: string) =>
    JSON.parse((await world.server.inject({ url: '/openapi.json', headers: { host } })).payload).servers
  deepEqual(await serversAt('pennypost.test'), [{ url: 'http://pennypost.test' }, { url: 'http://second.test' }])
  deepEqual(await serversAt('second.test'), [{ url: 'http://second.test' }, { url: 'http://pennypost.test' }])
})

test('every operation has a summary and a description in sentences', () => {
  for (const { operationId, summary = '', description = '' } of operations) {
    ok(/^[A-Z].*[^.]$/s.test(summary), `${operationId}: "${summary}"`)
    ok(/^[A-Z`0-9].*[.]$/s.test(description), `${operationId}: "${description}"`)
  }
})

test('every parameter, JSON body and JSON reply has an example that its schema accepts', () => {
  let checked = 0
  const check = (where: string, { schema, example }: { schema: JsonSchema; example?: unknown }) => {
    ok(example !== undefined, `${where} has no example`)
    equal(mismatch(schema, example), undefined, `${where}: ${JSON.stringify(example)}`)
    checked += 1
  }
  for (const { operationId, parameters = [], requestBody, responses } of operations) {
    for (const parameter of parameters) check(`${operationId} ${parameter.name}`, parameter)
    const body = requestBody?.content['application/json']
    if (body) check(`${operationId} body`, body)
    for (const [status, { content = {} }] of Object.entries(responses))
      for (const [type, reply] of Object.entries(content))
        if (status < '400' && /json|event-stream|text/.test(type)) check(`${operationId} ${status} ${type}`, reply)
    const shown = parameters.length + (body ? 1 : 0) + (responses[200]?.content ? 1 : 0)
    ok(shown > 0 || requestBody || responses[201] || responses[202], `${operationId} shows no example`)
  }
  ok(checked > 450, `only ${checked} examples`)
})

test('the service accepts the example of every JSON body, and could have sent the example of every reply', () => {
  for (const { operationId, requestBody, responses } of operations) {
    const { request, replies } = (contract as Readonly<Record<string, Endpoint>>)[operationId]!
    const example = requestBody?.content['application/json']?.example
    const body = request?.body
    if (body && !('kind' in body)) doesNotThrow(() => body.parse(example), `${operationId}: ${JSON.stringify(example)}`)
    for (const [status, reply] of Object.entries(replies))
      if (!('kind' in reply)) {
        const shown = responses[status]!.content!['application/json']!.example
        doesNotThrow(() => reply.parse(shown), `${operationId} ${status}: ${JSON.stringify(shown)}`)
      }
  }
})

test('every 401 has WWW-Authenticate, and every 429 and 503 has Retry-After', () => {
  const expected = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' }
  for (const { operationId, responses } of operations)
    for (const [status, header] of Object.entries(expected))
      if (responses[status]) ok(responses[status].headers?.[header], `${operationId} ${status}`)
  ok(operations.every(({ responses }) => responses[503]))
})

test('the service sends Retry-After with every 503', async (t) => {
  const world = await createWorld(t, {
    services: { readiness: async () => ({ dependencies: [], missing: ['database'], degraded: [], details: {} }) },
  })
  const readiness = await world.stranger().calls(getReadiness, {})
  deepEqual([readiness.status, Number(readiness.headers.get('retry-after')) > 0], [503, true])
  // A refusal without the seconds to wait does not compile.
  const unhinted = () => {
    const [busy] = refusalsOf(getReadiness).filter(({ status }) => status === 503)
    // @ts-expect-error the seconds are missing
    refuse({ ...busy!, status: 503 as const })
  }
  equal(typeof unhinted, 'function')
  // Without its database, the service can only ask the client to come back.
  const { pool } = world.services
  const { query, connect } = pool
  const fail = (() => Promise.reject(new Error('Connection terminated'))) as never
  Object.assign(pool, { query: fail, connect: fail })
  let unavailable = 0
  for (const [name, endpoint] of Object.entries<Endpoint>(contract)) {
    if (endpoint.method !== 'GET' || !credentialsOf(endpoint).includes('none')) continue
    const url = endpoint.path.replaceAll(/\{\w+\}/g, '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f')
    const reply = await world.server.inject({ url })
    if (reply.statusCode !== 503) continue
    ok(Number(reply.headers['retry-after']) > 0, name)
    unavailable += 1
  }
  Object.assign(pool, { query, connect })
  ok(unavailable >= 10, `only ${unavailable}`)
})

test('a refusal with extra fields shows them, under its status', () => {
  const fields = (node: unknown): string[] => {
    if (Array.isArray(node)) return node.flatMap(fields)
    if (typeof node !== 'object' || node === null) return []
    const { $ref, properties = {} } = node as { $ref?: string; properties?: object }
    const named = $ref ? fields(document.components.schemas[$ref.replace('#/components/schemas/', '')]) : []
    return [...named, ...Object.keys(properties), ...Object.values(node).flatMap(fields)]
  }
  const seen = new Set<string>()
  for (const { operationId, responses } of operations) {
    const endpoint = (contract as Readonly<Record<string, Endpoint>>)[operationId]!
    for (const { code, status, details } of refusalsOf(endpoint)) {
      if (status in endpoint.replies) continue
      const [{ schema } = { schema: {} }] = Object.values(responses[status]!.content!)
      const shown = fields(schema)
      for (const field of Object.keys(details)) ok(shown.includes(field), `${operationId} ${code} ${field}`)
      if (endpoint.recovers && status !== 400 && status !== 404)
        ok(shown.includes('recovery'), `${operationId} ${code}`)
      for (const field of shown) seen.add(field)
    }
  }
  for (const field of ['currentRevision', 'attachment', 'recovery', 'errors', 'retryAfter']) ok(seen.has(field), field)
})

test('a code has the same fields in every operation', () => {
  const known = new Map<string, string>()
  for (const endpoint of Object.values<Endpoint>(contract))
    for (const { code, details } of refusalsOf(endpoint)) {
      const fields = Object.keys(details).join()
      equal(known.get(code) ?? fields, fields, code)
      known.set(code, fields)
    }
})

test('bodies and replies that are one of several things are `oneOf`', () => {
  const bodies: Record<string, [valid: unknown, both: unknown]> = {
    tipPost: [{ amount: '0.5' }, { amount: '0.5', amountRaw: '1000000000000000000000000000' }],
    verifyAccountEmail: [{ code: '123456' }, { code: '123456', confirmationUrl: 'https://x.test' }],
    linkWallet: [{ challengeId: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', pollSecret: 'x' }, {}],
  }
  for (const [name, [valid, both]] of Object.entries(bodies)) {
    const { schema } = operations.find(({ operationId }) => operationId === name)!.requestBody!.content[
      'application/json'
    ]!
    equal(mismatch(schema, valid), undefined, name)
    ok(mismatch(schema, both), name)
  }
  const unions: string[] = []
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { anyOf } = node as { anyOf?: JsonSchema[] }
    if (Array.isArray(anyOf) && !anyOf.some(({ type }) => type === 'null')) unions.push(path)
    for (const [key, value] of Object.entries(node)) if (key !== 'example') walk(value, `${path}/${key}`)
  }
  walk(document, '')
  deepEqual(unions, [])
})

test('a header has one spelling, and no object has one field in two', () => {
  const headers = new Map<string, string>()
  const note = (name: string, where: string) => {
    const lower = name.toLowerCase()
    equal(headers.get(lower) ?? name, name, where)
    headers.set(lower, name)
  }
  for (const { operationId, parameters = [], responses } of operations) {
    for (const { name, in: place } of parameters) if (place === 'header') note(name, operationId)
    for (const { headers: sent = {} } of Object.values(responses))
      for (const name of Object.keys(sent)) note(name, operationId)
  }
  ok(headers.size > 10)
  const walk = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties } = node as { properties?: object }
    const names = Object.keys(properties ?? {}).map((name) => name.replaceAll('_', '').toLowerCase())
    deepEqual(new Set(names).size, names.length, path)
    for (const [key, value] of Object.entries(node)) walk(value, `${path}/${key}`)
  }
  walk(document, '')
})

test('every media type is a single type without parameters', () => {
  for (const { operationId, requestBody, responses } of operations) {
    const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    for (const type of contents.flatMap((content) => Object.keys(content ?? {})))
      ok(/^[a-z]+\/[a-z0-9.+-]+$/.test(type), `${operationId}: ${type}`)
  }
})
