import type { JsonSchema } from '@pennypost/contract/json-schema'
import type { z } from 'zod'
import { choicesOf, isNullable, isUnion, partOf, type SchemaPart, schemaOf } from './named-schema.ts'

/** An example value that the schema accepts: with its required fields, or with every field if none is required. */
export const exampleOf = (schema: z.ZodType, name: string): unknown => example(schemaOf(schema), name, 0)

// Deep enough for a reader. A recursive schema would never end.
const maxDepth = 4

function example(part: SchemaPart, name: string, depth: number): unknown {
  const { schema, root } = part
  const given = [(schema.examples as unknown[] | undefined)?.[0], schema.example, schema.const, schema.default]
  const said = given.find((value) => value !== undefined)
  if (said !== undefined) return said
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (isUnion(part)) {
    if (depth > 1 && isNullable(part)) return null
    const first = choicesOf(part)[0]
    return first ? example(first, name, depth) : null
  }
  if (Array.isArray(schema.allOf)) {
    const parts = (schema.allOf as JsonSchema[]).map((node) => example(partOf(node, root), name, depth))
    return Object.assign({}, ...parts)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objectExample(part, depth)
  if (type === 'array') {
    if (depth >= maxDepth) return []
    const items = (schema.prefixItems ?? (schema.items ? [schema.items] : [])) as JsonSchema[]
    return items.map((item) => example(partOf(item, root), name, depth + 1))
  }
  if (type === 'integer' || type === 'number') return numberExample(schema)
  if (type === 'boolean') return true
  return type === 'string' ? textExample(schema, name) : null
}

function objectExample({ schema, root }: SchemaPart, depth: number): Record<string, unknown> {
  if (depth >= maxDepth) return {}
  const required = (schema.required as string[] | undefined) ?? []
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const shown = required.length > 0 ? fields.filter(([key]) => required.includes(key)) : fields
  return Object.fromEntries(shown.map(([key, node]) => [key, example(partOf(node, root), key, depth + 1)]))
}

function numberExample(schema: JsonSchema): number {
  const least = (schema.minimum ?? (schema.exclusiveMinimum as number | undefined)) as number | undefined
  const most = (schema.maximum ?? Number.POSITIVE_INFINITY) as number
  if (least === undefined || least < 0) return Math.min(1, most)
  return Math.min(schema.exclusiveMinimum === undefined ? Math.max(least, 1) : least + 1, most)
}

const formats: Readonly<Record<string, string>> = {
  uuid: '0b6f4a52-6a0e-4c3b-9a51-2f7d8c1e9b34',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'reader@example.org',
  uri: 'https://example.org/',
}

function textExample(schema: JsonSchema, name: string): string {
  if (typeof schema.format === 'string' && formats[schema.format] !== undefined) return formats[schema.format]!
  const pattern = typeof schema.pattern === 'string' ? patternOf(schema.pattern) : undefined
  const least = (schema.minLength ?? 0) as number
  const most = (schema.maxLength ?? Number.POSITIVE_INFINITY) as number
  const candidates = [name, name.toLowerCase(), '1', '0.25', '123456', 'a', 'AB', 'en-GB', 'text/plain', 'image/png']
  const sized = candidates.map((text) => text.padEnd(least, text || '0').slice(0, most))
  return sized.find((text) => pattern?.test(text) ?? true) ?? formats.uuid!
}

function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}
