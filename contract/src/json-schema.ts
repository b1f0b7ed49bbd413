import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }

const converted = new WeakMap<z.ZodType, JsonSchema>()

/** The JSON Schema that OpenAPI uses. Documents convert the same schemas many times, which is slow, so they are kept. */
export function openApiSchema(schema: z.ZodType): JsonSchema {
  const known = converted.get(schema) ?? jsonSchema(schema, 'draft-2020-12')
  converted.set(schema, known)
  return known
}

/**
 * Converts a zod schema to JSON Schema. `meta({ openapi })` replaces the generated schema: a number in a query string is
 * parsed in several steps, but a client should see an integer.
 */
export function jsonSchema(schema: z.ZodType, target: 'draft-2020-12' | 'draft-7'): JsonSchema {
  const result = z.toJSONSchema(schema, {
    target,
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const shown = z.globalRegistry.get(zodSchema as unknown as z.ZodType)?.openapi
      if (shown === undefined) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, JSON.parse(JSON.stringify(shown)))
    },
  }) as JsonSchema
  const { $schema: _, ...shown } = result
  return foldNullable(shown) as JsonSchema
}

// `type: [X, null]` means the same as `anyOf: [X, null]`, is easier to read and makes faster serializers.
function foldNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(foldNullable)
  if (typeof node !== 'object' || node === null) return node
  const folded = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, foldNullable(value)]),
  ) as JsonSchema
  const options = folded.anyOf
  if (!Array.isArray(options) || options.length !== 2 || options[1]?.type !== 'null') return folded
  const [shown] = options
  if (
    typeof shown?.type !== 'string' ||
    shown.type === 'object' ||
    shown.type === 'array' ||
    'enum' in shown ||
    'const' in shown
  )
    return folded
  const { anyOf: _, ...rest } = folded
  return { ...rest, ...shown, type: [shown.type, 'null'] }
}
