import { z } from 'zod'
import { H3Error, Problem } from './errors.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Refusal, snakeCase } from './refusal.ts'
import { Recovery } from './uploads.ts'

interface Context {
  readonly family: 'problem' | 'h3'
  /** Whether the operation adds `recovery` to its refusals. */
  readonly hasRecovery: boolean
  /** Turns a schema into JSON Schema, with references to components. */
  readonly share: (schema: z.ZodType) => JsonSchema
  /** Saves a component and returns a reference to it. */
  readonly name: (id: string, component: JsonSchema) => JsonSchema
}

/**
 * The schema of all refusals of an operation with one status. A refusal that carries more than the fields of every error,
 * such as `currentRevision`, has its own schema, selected by its code.
 */
export function refusalSchema(refused: readonly Refusal[], context: Context): JsonSchema {
  const base = context.share(context.family === 'problem' ? Problem : H3Error)
  const detailed = refused.filter(hasOwnFields)
  const plain = refused.filter((refusal) => !hasOwnFields(refusal))
  const options = detailed.map((refusal) => detailedSchema(refusal, base, context))
  if (plain.length > 0 && options.length > 0) {
    const codes = plain.map(({ code }) => spell(code, context.family))
    options.push({ allOf: [base, fieldsOf({ code: { enum: codes } }, [], context.family)] })
  }
  const schema = options.length > 1 ? { oneOf: options } : (options[0] ?? base)
  const [status] = refused.map((refusal) => refusal.status)
  if (!context.hasRecovery || status === 400 || status === 404) return schema
  const recovery = { recovery: context.share(Recovery.optional()) }
  return { allOf: [schema, fieldsOf(recovery, [], context.family)] }
}

/** `errors` is a field of every error. */
const hasOwnFields = ({ details }: Refusal): boolean => Object.keys(details).some((field) => field !== 'errors')

function detailedSchema({ code, details }: Refusal, base: JsonSchema, context: Context): JsonSchema {
  const { properties, required = [] } = context.share(z.object(details)) as {
    properties: Record<string, JsonSchema>
    required?: string[]
  }
  const fields = fieldsOf({ code: { const: spell(code, context.family) }, ...properties }, required, context.family)
  const id = `${pascalCase(code)}${context.family === 'problem' ? 'Problem' : 'Error'}`
  return context.name(id, { allOf: [base, fields] })
}

/** Fields of an error. The H3 family has them in `data`. */
function fieldsOf(properties: JsonSchema, required: readonly string[], family: Context['family']): JsonSchema {
  const fields = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return family === 'problem' ? fields : { type: 'object', properties: { data: fields } }
}

const spell = (code: string, family: Context['family']): string => (family === 'h3' ? snakeCase(code) : code)

const pascalCase = (code: string): string =>
  code
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
