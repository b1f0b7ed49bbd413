import type { z } from 'zod'
import { valuesByField } from './example-values.ts'
import { type JsonSchema, openApiSchema } from './json-schema.ts'

interface ExampleOptions {
  /** Shows optional fields too. A reply is more useful with all of its fields, a request with only what it needs. */
  readonly withOptional?: boolean
}

/** An example value that the schema accepts. If no field is required, it has every field. */
export function exampleOf(schema: z.ZodType, name: string, options: ExampleOptions = {}): unknown {
  const root = openApiSchema(schema)
  return example(root, { root, names: [name], depth: 0, options })
}

interface ExampleContext {
  readonly root: JsonSchema
  /** Where to look for a value, the most specific name first. */
  readonly names: readonly string[]
  readonly depth: number
  readonly options: ExampleOptions
}

// Deep enough for every reply. A recursive schema would never end.
const maxDepth = 8

function example(node: JsonSchema, place: ExampleContext): unknown {
  const schema = resolve(node, place.root)
  const said = [(schema.examples as unknown[] | undefined)?.[0], schema.const].find((value) => value !== undefined)
  if (said !== undefined) return said
  const known = place.names.flatMap((name) => valuesByField[name] ?? []).find((value) => fits(value, schema, place))
  if (known !== undefined) return known
  if (schema.default !== undefined) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (isUnion(schema)) return example(choicesOf(schema)[0]!, place)
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...(schema.allOf as JsonSchema[]).map((part) => example(part, place)))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objectExample(schema, place)
  if (type === 'array') return arrayExample(schema, place)
  if (type === 'integer' || type === 'number') return numberExample(schema)
  if (type === 'boolean') return true
  return type === 'string' ? textExample(schema, place.names.at(-1) ?? '') : null
}

const resolve = (node: JsonSchema, root: JsonSchema): JsonSchema => {
  if (typeof node.$ref !== 'string') return node
  const id = node.$ref.replace('#/$defs/', '')
  const target = node.$ref === '#' ? root : (root.$defs as Record<string, JsonSchema> | undefined)?.[id]
  return { ...target, id: target?.id ?? id }
}

const isUnion = (schema: JsonSchema): boolean => Array.isArray(schema.anyOf) || isChoice(schema.oneOf)

/** `oneOf` may also only say which fields exclude each other. */
const isChoice = (oneOf: unknown): boolean =>
  Array.isArray(oneOf) && oneOf.some((option: JsonSchema) => 'type' in option || '$ref' in option)

const choicesOf = (schema: JsonSchema): JsonSchema[] =>
  ((schema.anyOf ?? schema.oneOf) as JsonSchema[]).filter(({ type }) => type !== 'null')

function objectExample(schema: JsonSchema, place: ExampleContext): Record<string, unknown> {
  if (place.depth >= maxDepth) return {}
  const required = (schema.required as string[] | undefined) ?? []
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const isShown = ([key]: [string, unknown]) =>
    place.options.withOptional || required.length === 0 || required.includes(key)
  const parents = [schema.id as string | undefined, place.names.at(-1)]
  return Object.fromEntries(
    fields.filter(isShown).map(([key, node]) => {
      const names = [...parents.filter((parent) => parent !== undefined).map((parent) => `${parent}.${key}`), key]
      return [key, example(node, { ...place, names, depth: place.depth + 1 })]
    }),
  )
}

function arrayExample(schema: JsonSchema, place: ExampleContext): unknown[] {
  if (place.depth >= maxDepth || schema.maxItems === 0) return []
  const items = (schema.prefixItems ?? (schema.items ? [schema.items] : [])) as JsonSchema[]
  return items.map((item) => example(item, { ...place, depth: place.depth + 1 }))
}

/** Whether a value has the right type and format. The test of the examples checks the rest. */
function fits(value: unknown, schema: JsonSchema, place: ExampleContext): boolean {
  if (isUnion(schema))
    return ((schema.anyOf ?? schema.oneOf) as JsonSchema[]).some((option) =>
      fits(value, resolve(option, place.root), place),
    )
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  if (schema.const !== undefined) return schema.const === value
  if (![schema.type].flat().includes(typeOf(value)) && !(schema.type === 'number' && typeof value === 'number'))
    return false
  if (Array.isArray(value) && schema.items)
    return value.every((item) => fits(item, resolve(schema.items as JsonSchema, place.root), place))
  // An object of fixed fields is put together from them.
  if (typeOf(value) === 'object')
    return Object.keys((schema.properties ?? {}) as object).length === 0 || isWhole(value, schema)
  if (typeof value === 'number')
    return value >= Number(schema.minimum ?? -Infinity) && value <= Number(schema.maximum ?? Infinity)
  if (typeof value !== 'string') return true
  if (typeof schema.pattern === 'string' && !patternOf(schema.pattern)?.test(value)) return false
  if (typeof schema.format === 'string' && formats[schema.format]?.pattern.test(value) === false) return false
  return value.length >= Number(schema.minLength ?? 0) && value.length <= Number(schema.maxLength ?? Infinity)
}

const isWhole = (value: unknown, schema: JsonSchema): boolean =>
  ((schema.required as string[] | undefined) ?? []).every((key) => key in (value as object)) &&
  Object.keys(value as object).every((key) => key in (schema.properties as object)) &&
  Object.keys(value as object).length > 0

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function numberExample(schema: JsonSchema): number {
  const least = (schema.minimum ?? schema.exclusiveMinimum) as number | undefined
  const most = (schema.maximum ?? Number.POSITIVE_INFINITY) as number
  if (least === undefined || least < 0) return Math.min(1, most)
  return Math.min(schema.exclusiveMinimum === undefined ? Math.max(least, 1) : least + 1, most)
}

const formats: Readonly<Record<string, { readonly value: string; readonly pattern: RegExp }>> = {
  uuid: { value: '0b6f4a52-6a0e-4c3b-9a51-2f7d8c1e9b34', pattern: /^[0-9a-f-]{36}$/ },
  'date-time': { value: '2026-01-31T12:00:00.000Z', pattern: /^\d{4}-\d\d-\d\dT.+Z$/ },
  date: { value: '2026-01-31', pattern: /^\d{4}-\d\d-\d\d$/ },
  email: { value: 'reader@example.org', pattern: /@/ },
  uri: { value: 'https://example.org/', pattern: /^https:/ },
}

function textExample(schema: JsonSchema, name: string): string {
  if (typeof schema.format === 'string' && formats[schema.format] !== undefined) return formats[schema.format]!.value
  const pattern = typeof schema.pattern === 'string' ? patternOf(schema.pattern) : undefined
  const least = (schema.minLength ?? 0) as number
  const most = (schema.maxLength ?? Number.POSITIVE_INFINITY) as number
  const candidates = [name, name.toLowerCase(), '1', '0.25', '123456', 'a', 'AB', 'en-GB', 'text/plain', 'image/png']
  const sized = candidates.map((text) => text.padEnd(least, text || '0').slice(0, most))
  return sized.find((text) => pattern?.test(text) ?? true) ?? formats.uuid!.value
}

function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}
