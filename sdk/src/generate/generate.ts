import { type Contract, credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { openApiDocument } from '@pennypost/contract/openapi'
import { comment, componentsIn, fieldName, fieldsOf, type Schema, typeOf } from './schema-type.ts'

// Makes the parts of this package that follow from the contract: a table of operations, and plain types. Programs that use
// the package then need neither the contract nor zod, and the compiler has nothing to work out.

interface Media {
  readonly schema: Schema
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const notice = '// Made from the contract by `npm run generate`. Do not edit.\n'

/** The text of each generated file, by its name. */
export function generate(contract: Contract): ReadonlyMap<string, string> {
  const document = openApiDocument(contract, []) as unknown as Document
  const documented = new Map(
    Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .map((operation) => [operation.operationId, operation]),
  )
  const operations = Object.entries(contract).map(([name, endpoint]) =>
    operationOf(name, endpoint, documented.get(name)!),
  )
  const components = document.components.schemas
  const used = new Set<string>()
  for (const { schemas } of operations) for (const schema of schemas) componentsIn(schema, components, used)
  return new Map([
    ['operation-table.ts', tableFile(operations)],
    ['types.ts', typesFile(components, [...used].sort())],
    ['operations.ts', operationsFile(operations, [...used].sort())],
  ])
}

interface Operation {
  readonly name: string
  readonly endpoint: Endpoint
  readonly summary: string
  readonly schemas: readonly Schema[]
  /** The fields of its input, and whether a call can leave all of them out. */
  readonly input: { readonly fields: string; readonly isOptional: boolean }
  /** The statuses of each reply with the type of its body. */
  readonly replies: readonly { readonly statuses: readonly string[]; readonly schema: Schema | undefined }[]
}

function operationOf(name: string, endpoint: Endpoint, documented: DocumentedOperation): Operation {
  const { parameters = [], requestBody, responses, summary, description } = documented
  const groups = (['path', 'query', 'header'] as const).flatMap((place) => {
    // The key has its own field, and `fetch` sets the length.
    const fields = parameters.filter(
      (field) => field.in === place && !['Idempotency-Key', 'Content-Length'].includes(field.name),
    )
    if (fields.length === 0) return []
    const spelled = (text: string) => (place === 'header' ? text.toLowerCase() : text)
    const schema: Schema = {
      properties: Object.fromEntries(fields.map((field) => [spelled(field.name), field.schema])),
      required: fields.filter((field) => field.required).map((field) => spelled(field.name)),
    }
    return [{ name: { path: 'params', query: 'query', header: 'headers' }[place], schema }]
  })
  const body = requestBody && Object.entries(requestBody.content)[0]!
  const lines = groups.map(({ name: group, schema }) => {
    const mark = schema.required!.length > 0 ? '' : '?'
    return `  ${group}${mark}: {\n${fieldsOf(schema, '    ')}  }${mark && ' | undefined'}\n`
  })
  if (body) {
    const mark = requestBody.required ? '' : '?'
    lines.push(`  body${mark}: ${bodyType(body)}${mark && ' | undefined'}\n`)
  }
  if (endpoint.idempotency) lines.push(`${comment(keyComment(endpoint), '  ')}  idempotencyKey?: string | undefined\n`)
  const replies = repliesOf(endpoint, responses)
  return {
    name,
    endpoint,
    summary: description ? `${summary}.\n\n${description}` : `${summary}.`,
    schemas: [
      ...groups.map(({ schema }) => schema),
      ...(body ? [body[1].schema] : []),
      ...replies.flatMap(({ schema }) => (schema ? [schema] : [])),
    ],
    input: {
      fields: lines.join(''),
      isOptional: !requestBody?.required && groups.every(({ schema }) => schema.required!.length === 0),
    },
    replies,
  }
}

const keyComment = ({ idempotency }: Endpoint) =>
  `${idempotency!.description} A new one is made for each call unless you pass one.`

function bodyType([mediaType, { schema }]: [string, Media]): string {
  if (mediaType === 'application/json') return typeOf(schema, '  ')
  return mediaType === 'multipart/form-data' ? 'FormData' : 'Blob | Uint8Array | ArrayBuffer'
}

function repliesOf(endpoint: Endpoint, responses: DocumentedOperation['responses']): Operation['replies'] {
  const replies: { statuses: string[]; schema: Schema | undefined }[] = []
  for (const status of Object.keys(endpoint.replies)) {
    const schema = Object.values(responses[status]?.content ?? {})[0]?.schema
    const same = replies.find((reply) => JSON.stringify(reply.schema) === JSON.stringify(schema))
    if (same) same.statuses.push(status)
    else replies.push({ statuses: [status], schema })
  }
  return replies
}

function tableFile(operations: readonly Operation[]): string {
  const lines = operations.map(({ name, endpoint }) => `  ${name}: ${JSON.stringify(rowOf(endpoint))},\n`)
  return `${notice}import type { OperationRow } from '../operation.ts'

export const operationTable = {
${lines.join('')}} as const satisfies Readonly<Record<string, OperationRow>>
`
}

function rowOf(endpoint: Endpoint) {
  const body = endpoint.request?.body
  return {
    method: endpoint.method,
    path: endpoint.path,
    credentials: credentialsOf(endpoint),
    errors: endpoint.errors,
    replies: Object.keys(endpoint.replies).map(Number),
    ...(body && { body: !('kind' in body) ? 'json' : body.kind === 'stream' ? 'bytes' : 'form' }),
    ...(endpoint.idempotency && { idempotent: true }),
    ...(endpoint.paidWith && { paid: true }),
  }
}

function typesFile(components: Readonly<Record<string, Schema>>, names: readonly string[]): string {
  const types = names.map((name) => {
    const schema = components[name]!
    const said = comment(schema.description, '')
    const type = typeOf({ ...schema, description: '' })
    return type.startsWith('{') && type.endsWith('}') && !type.includes('\n} |')
      ? `${said}export interface ${name} ${type}\n`
      : `${said}export type ${name} = ${type}\n`
  })
  return `${notice}\n${types.join('\n')}`
}

function operationsFile(operations: readonly Operation[], used: readonly string[]): string {
  const inputs = operations.filter(({ input }) => input.fields !== '').map(inputType)
  const bodies = operations.flatMap(({ name, replies }) =>
    replies.flatMap(({ statuses, schema }, index) =>
      schema && isWorthAName(schema)
        ? [`export type ${replyName(name, index === 0 ? '' : statuses[0]!)} = ${typeOf(schema)}\n`]
        : [],
    ),
  )
  const methods = operations.map((operation) => `${comment(operation.summary, '  ')}  ${method(operation)}\n`)
  const text = `${inputs.join('\n')}\n${bodies.join('\n')}\n/** Every operation of the API, by its \`operationId\`. */\nexport interface Operations {\n${methods.join('')}}\n`
  const imported = used.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  const wrappers = ['Downloads', 'Events', 'NoInput', 'Operation', 'OptionalOperation', 'Reply']
  return `${notice}import type { ${wrappers.join(', ')} } from '../operation.ts'
import type {
${imported.map((name) => `  ${name},\n`).join('')}} from './types.ts'

${text}`
}

const upperFirst = (name: string): string => name[0]!.toUpperCase() + name.slice(1)
const replyName = (name: string, suffix: string): string => `${upperFirst(name)}Reply${suffix}`
const isWorthAName = (schema: Schema): boolean => typeOf(schema).includes('{')

const inputType = ({ name, input }: Operation): string =>
  `export interface ${upperFirst(name)}Input {\n${input.fields}}\n`

function method({ name, endpoint, input, replies }: Operation): string {
  const given = input.fields === '' ? 'NoInput' : `${upperFirst(name)}Input`
  const bodyOf = (index: number) => {
    const { schema, statuses } = replies[index]!
    if (!schema) return 'undefined'
    return isWorthAName(schema) ? replyName(name, index === 0 ? '' : statuses[0]!) : typeOf(schema)
  }
  const reply = replies.map(({ statuses }, index) => `Reply<${statuses.join(' | ')}, ${bodyOf(index)}>`).join(' | ')
  const kinds = [`${input.isOptional ? 'OptionalOperation' : 'Operation'}<${given}, ${reply}>`]
  if (endpoint.events) kinds.push(`Events<${given}, ${bodyOf(0)}>`)
  if (Object.values(endpoint.replies).some((body) => 'kind' in body && body.kind === 'raw'))
    kinds.push(`Downloads<${given}>`)
  return `readonly ${fieldName(name)}: ${kinds.join(' & ')}`
}
