import type { JsonSchema } from '@pennypost/contract/json-schema'

/** The parts of an OpenAPI document that the snapshot reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & JsonSchema
}

interface Operation {
  readonly tags: readonly string[]
  readonly parameters?: readonly ({
    readonly in: string
    readonly name: string
    readonly schema: JsonSchema
  } & JsonSchema)[]
  readonly requestBody?: { readonly content: Content } & JsonSchema
  readonly responses: Readonly<Record<string, Response>>
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema } & JsonSchema>>
type Response = { readonly description: string; readonly content?: Content } & JsonSchema
type Chapter = { readonly operations: JsonSchema; readonly schemas: JsonSchema }

/**
 * The document as one JSON text for each tag, by file name, short enough to review:
 * - A schema is written like a type: `"email": "string format=email maxLength=320"`. Optional fields end in `?`,
 *   `"(closed)"` marks an object that refuses other fields, and `→Name` is a reference.
 * - An error response is its format and its codes; `shared.json` has each code's sentence. A code with extra fields
 *   has a schema. The headers that every response with a status has are left out, and so are examples: the tests of the
 *   document check both.
 * - A schema is in the file of the tag that uses it, or in `shared.json` if several do.
 */
export function snapshotOf({ paths, components, ...rest }: OpenApiDocument): Map<string, string> {
  const { schemas, ...restOfComponents } = components
  const sentences = new Map<string, string>()
  const chapters = new Map<string, Chapter>()
  const users = new Map<string, Set<string>>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { tags, ...operation }] of Object.entries(methods)) {
      const file = `${tags.join('-').toLowerCase().replaceAll(' ', '-')}.json`
      const chapter = chapters.get(file) ?? { operations: {}, schemas: {} }
      chapters.set(file, chapter)
      chapter.operations[`${method.toUpperCase()} ${path}`] = shortOperation(operation, sentences)
      noteUsers(file, operation, schemas, users)
    }
  }
  const shared: JsonSchema = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const [user, ...others] = users.get(name) ?? []
    const place = user === undefined || others.length > 0 ? shared : chapters.get(user)!.schemas
    place[name] = shortSchema(schema)
  }
  const general = { ...rest, components: { ...restOfComponents, schemas: shared } }
  return new Map([
    ['shared.json', jsonText({ ...general, errors: Object.fromEntries([...sentences].sort()) })],
    ...[...chapters].map(([file, chapter]): [string, string] => [file, jsonText(chapter)]),
  ])
}

function shortOperation(operation: Omit<Operation, 'tags'>, sentences: Map<string, string>): JsonSchema {
  const { parameters, requestBody, responses, ...rest } = operation
  const shortParameters = parameters?.map(({ in: place, name, required, schema, example: _, ...more }) => [
    `${place} ${name}${required ? '' : '?'}`,
    shortSchema({ ...schema, ...more }),
  ])
  return {
    ...rest,
    ...(shortParameters && { parameters: Object.fromEntries(shortParameters) }),
    ...(requestBody && { requestBody: { ...requestBody, content: shortContent(requestBody.content) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, shortResponse(response, sentences)]),
    ),
  }
}

const shortContent = (content: Content): JsonSchema =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, example: _, ...more }]) => [
      type,
      Object.keys(more).length > 0 ? { schema: shortSchema(schema), ...more } : shortSchema(schema),
    ]),
  )

const errorFormats: Readonly<Record<string, string>> = {
  'application/problem+json': 'Problem',
  'application/json': 'H3Error',
}

function shortResponse(response: Response, sentences: Map<string, string>): unknown {
  const lines = response.description.split('\n\n').map((line) => /^`([\w-]+)`: (.+)$/.exec(line))
  const [[type, body] = ['', undefined]] = Object.entries(response.content ?? {})
  if (lines.includes(null) || errorFormats[type] === undefined)
    return response.content ? { ...response, content: shortContent(response.content) } : response
  const codes = lines.map((line) => {
    const [, code = '', sentence = ''] = line!
    if (!sentences.has(code)) sentences.set(code, sentence)
    // The same code may have a different sentence in another operation.
    return sentences.get(code) === sentence ? code : `${code} (${sentence})`
  })
  const details = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== errorFormats[type])
  const named = details.length > 0 ? ` →${[...new Set(details)].join(', →')}` : ''
  return `${errorFormats[type]}: ${codes.join(', ')}${named}`
}

const nested = ['properties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'propertyNames']

function shortSchema(schema: JsonSchema): unknown {
  const { $ref, description, type, properties, required = [], additionalProperties, ...rest } = schema
  const note = description === undefined ? '' : ` // ${description}`
  if ($ref !== undefined && Object.keys(rest).length === 0)
    return `→${String($ref).replace('#/components/schemas/', '')}${note}`
  if (type === 'object' && properties !== undefined) {
    const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) => [
      (required as string[]).includes(name) ? name : `${name}?`,
      shortSchema(field),
    ])
    return {
      ...(description !== undefined && { '(description)': description }),
      ...(additionalProperties === false && { '(closed)': true }),
      ...(typeof additionalProperties === 'object' && { '(others)': shortSchema(additionalProperties as JsonSchema) }),
      ...rest,
      ...Object.fromEntries(fields),
    }
  }
  if (nested.some((key) => key in schema) || typeof additionalProperties === 'object') {
    const inner = Object.entries(schema).map(([key, value]) => {
      if (Array.isArray(value) && nested.includes(key)) return [key, value.map(shortSchema)]
      return [key, nested.includes(key) || key === 'additionalProperties' ? shortSchema(value as JsonSchema) : value]
    })
    return Object.fromEntries(inner)
  }
  const keywords = Object.entries({ ...rest, ...('required' in schema && { required }), additionalProperties })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${[[type].flat().join('|') || 'any', ...keywords].join(' ')}${note}`
}

/** Adds the file to the users of each schema that a part of it refers to, directly or through other schemas. */
function noteUsers(
  file: string,
  part: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
  users: Map<string, Set<string>>,
): void {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    const known = users.get(name) ?? new Set()
    users.set(name, known)
    if (known.has(file)) continue
    known.add(file)
    noteUsers(file, schemas[name], schemas, users)
  }
}

/** Formats JSON with each value on one line if it fits. */
function jsonText(value: unknown): string {
  return `${breakLines(value, '', 0)}\n`
}

function breakLines(value: unknown, indent: string, column: number): string {
  const oneLine = spaced(value)
  if (typeof value !== 'object' || value === null || column + oneLine.length <= 120) return oneLine
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = Object.entries(value).map(([key, item]) => {
    const label = isList ? inner : `${inner}${JSON.stringify(key)}: `
    return label + breakLines(item, inner, label.length + 1)
  })
  return `${isList ? '[' : '{'}\n${items.join(',\n')}\n${indent}${isList ? ']' : '}'}`
}

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}
