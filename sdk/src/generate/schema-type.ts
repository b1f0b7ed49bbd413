/** A JSON Schema as the OpenAPI document has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly format?: string
}

/** The name of the component that a schema refers to. */
export const componentOf = ({ $ref }: Schema): string | undefined => $ref?.replace('#/components/schemas/', '')

/** Every component that a schema refers to, directly or through others. */
export function componentsIn(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  found: Set<string> = new Set(),
): Set<string> {
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const name = componentOf(node as Schema)
    if (typeof name === 'string' && !found.has(name)) {
      found.add(name)
      walk(components[name])
    }
    for (const value of Object.values(node)) walk(value)
  }
  walk(schema)
  return found
}

/** The TypeScript type of a schema. Formats, lengths and patterns have no type: the service checks them. */
export function typeOf(schema: Schema, indent = ''): string {
  const name = componentOf(schema)
  if (name !== undefined) return name
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const options = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(saysMoreThanRequired)
  if (options.length > 0) return union(options.map((option) => typeOf(option, indent)))
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(' & ')
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length === 0) return schema.properties ? objectType(schema, indent) : 'unknown'
  return union(types.map((type) => simpleType(type, schema, indent)))
}

/** Fields of an object, one per line, each with its description. */
export function fieldsOf(schema: Schema, indent: string): string {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const isRequired = required.has(name)
      // Callers may pass undefined for a field they leave out, also with `exactOptionalPropertyTypes`.
      const type = `${typeOf(field, indent)}${isRequired ? '' : ' | undefined'}`
      return `${comment(field.description, indent)}${indent}${fieldName(name)}${isRequired ? '' : '?'}: ${type}\n`
    })
    .join('')
}

/** A doc comment, or nothing. */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return ''
  const safe = text.replaceAll('*/', '*\\/')
  if (!safe.includes('\n')) return `${indent}/** ${safe} */\n`
  const lines = safe.split('\n').map((line) => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${lines.join('\n')}\n${indent} */\n`
}

export const fieldName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)

function simpleType(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, indent))
  if (type === 'object') return objectType(schema, indent)
  if (type === 'string' && schema.format === 'binary') return 'Uint8Array'
  return type
}

function objectType(schema: Schema, indent: string): string {
  if (schema.properties && Object.keys(schema.properties).length > 0)
    return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`
  const { additionalProperties } = schema
  if (additionalProperties === false) return 'Record<string, never>'
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>`
}

const arrayOf = (item: string): string => (/[|&{]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`)

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

/** An alternative such as `{ required: ['amount'] }` restricts the object beside it and has no type. */
const saysMoreThanRequired = (option: Schema): boolean => Object.keys(option).some((key) => key !== 'required')
