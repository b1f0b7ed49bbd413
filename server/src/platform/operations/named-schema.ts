import { type JsonSchema, openApiSchema } from '@pennypost/contract/json-schema'
import type { z } from 'zod'

/** A part of a JSON Schema, with the root schema that its references point into. */
export interface SchemaPart {
  readonly schema: JsonSchema
  readonly root: JsonSchema
  /** Its name in the contract, if any. */
  readonly name: string | undefined
}

export function schemaOf(schema: z.ZodType): SchemaPart {
  const root = openApiSchema(schema)
  return partOf(root, root)
}

/** Resolves a node: itself, or the schema that it refers to. */
export function partOf(node: JsonSchema, root: JsonSchema): SchemaPart {
  if (typeof node.$ref !== 'string') return { schema: node, root, name: nameOf(node.id) }
  const key = node.$ref.replace('#/$defs/', '')
  const definition = node.$ref === '#' ? root : (root.$defs as Record<string, JsonSchema> | undefined)?.[key]
  const { $ref: _, ...beside } = node
  return {
    schema: { ...definition, ...beside },
    root,
    name: nameOf(node.$ref === '#' ? root.id : key),
  }
}

// zod generates names such as `__schema0` for recursive schemas without a name.
const nameOf = (id: unknown): string | undefined => (typeof id === 'string' && !id.startsWith('__') ? id : undefined)

/** Collects every named schema inside the given ones, by name. */
export function namedSchemas(schemas: Iterable<z.ZodType>): ReadonlyMap<string, SchemaPart> {
  const found = new Map<string, SchemaPart>()
  for (const whole of schemas) {
    const part = schemaOf(whole)
    if (part.name !== undefined) found.set(part.name, part)
    for (const id of Object.keys((part.root.$defs as object | undefined) ?? {})) {
      const definition = partOf({ $ref: `#/$defs/${id}` }, part.root)
      if (definition.name !== undefined) found.set(definition.name, definition)
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The alternatives of a union, without null. */
export function choicesOf({ schema, root }: SchemaPart): SchemaPart[] {
  const options = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  return options
    .map((option) => partOf(option, root))
    .flatMap((part) => (part.name === undefined && isUnion(part) ? choicesOf(part) : [part]))
    .filter((part) => part.schema.type !== 'null')
}

export const isUnion = ({ schema }: SchemaPart): boolean => Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)

/** Whether a union allows null, at any depth that `choicesOf` covers. */
export function isNullable({ schema, root }: SchemaPart): boolean {
  const options = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  return options.some((option) => {
    const part = partOf(option, root)
    return part.schema.type === 'null' || (part.name === undefined && isNullable(part))
  })
}
