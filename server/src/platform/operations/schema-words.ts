import type { JsonSchema } from '@pennypost/contract/json-schema'
import { type Html, html } from '../http/page.ts'
import { choicesOf, isNullable, isUnion, partOf, type SchemaPart } from './named-schema.ts'

// A recursive schema without a name would never end.
const maxDepth = 4

/** Describes the type of a schema in a few words. Named schemas are linked. */
export function typeWords(part: SchemaPart, depth = 0): Html {
  const { schema, root, name } = part
  const inner = (node: unknown) => typeWords(partOf((node ?? {}) as JsonSchema, root), depth + 1)
  if (name !== undefined) return html`<a href="/docs#object-${encodeURIComponent(name)}">${name}</a>`
  if ('const' in schema) return html`always ${literal(schema.const)}`
  if (Array.isArray(schema.enum)) return html`one of ${listed(schema.enum.map(literal), ', ')}`
  if (depth > maxDepth) return html`any value`
  if (isUnion(part)) return depth > 1 ? html`any value` : unionWords(part, depth)
  if (Array.isArray(schema.prefixItems)) {
    return html`list of exactly ${listed(schema.prefixItems.map(inner), ', ')}`
  }
  if (schema.type === 'array') return html`list of ${inner(schema.items)}`
  if (isMap(schema)) return html`map of ${inner(schema.additionalProperties)}`
  const [type, ...others] = [schema.type].flat()
  if (typeof type !== 'string') return html`${Array.isArray(schema.allOf) ? 'object' : 'any value'}`
  const format = typeof schema.format === 'string' && ` (${schema.format})`
  return html`${type}${format}${others.map((other) => ` or ${other}`)}`
}

function unionWords(part: SchemaPart, depth: number): Html {
  const choices = choicesOf(part)
  const shapes = choices.filter((choice) => choice.name === undefined && choice.schema.type === 'object')
  const words = choices
    .filter((choice) => shapes.length < 2 || !shapes.includes(choice))
    .map((choice) => typeWords(choice, depth + 1))
  if (isNullable(part)) words.push(html`null`)
  if (shapes.length >= 2) words.push(html`one of ${shapes.length} alternatives shown below`)
  return listed(words, ' or ')
}

export const isMap = (schema: JsonSchema): boolean =>
  typeof schema.additionalProperties === 'object' && !('properties' in schema)

/** Describes what a value must satisfy beyond its type. */
export function constraintWords(schema: JsonSchema): Html[] {
  const words: (Html | undefined)[] = [
    range(schema.minLength, schema.maxLength, 'character'),
    Array.isArray(schema.prefixItems) ? undefined : range(schema.minItems, schema.maxItems, 'item'),
    range(boundOf(schema.minimum), boundOf(schema.maximum), ''),
    'exclusiveMinimum' in schema ? html`more than ${String(schema.exclusiveMinimum)}` : undefined,
    'exclusiveMaximum' in schema ? html`less than ${String(schema.exclusiveMaximum)}` : undefined,
    'multipleOf' in schema ? html`a multiple of ${String(schema.multipleOf)}` : undefined,
    schema.uniqueItems === true ? html`no duplicates` : undefined,
    // A format implies its pattern.
    typeof schema.pattern === 'string' && !('format' in schema) ? html`matches ${code(schema.pattern)}` : undefined,
    'default' in schema ? html`defaults to ${literal(schema.default)}` : undefined,
  ]
  const items = schema.items as JsonSchema | undefined
  const ofItems = items && schema.type === 'array' && !('$ref' in items) ? constraintWords(items) : []
  return [...words.filter((word) => word !== undefined), ...ofItems.map((word) => html`each ${word}`)]
}

// zod adds the limits of safe integers to every integer; they are of no use to readers.
const boundOf = (bound: unknown): unknown =>
  typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound

function range(least: unknown, most: unknown, noun: string): Html | undefined {
  if (typeof least !== 'number' && typeof most !== 'number') return undefined
  const counted = (count: unknown) => `${count}${noun && ` ${noun}${count === 1 ? '' : 's'}`}`
  if (typeof most !== 'number') return html`at least ${counted(least)}`
  if (typeof least !== 'number') return html`at most ${counted(most)}`
  return least === most ? html`exactly ${counted(most)}` : html`${least} to ${counted(most)}`
}

const code = (text: string): Html => html`<code>${text}</code>`
const literal = (value: unknown): Html => code(JSON.stringify(value))

/** Joins markup with a separator. */
export const listed = (words: readonly Html[], between: string): Html =>
  html`${words.map((word, index) => html`${index > 0 && between}${word}`)}`
