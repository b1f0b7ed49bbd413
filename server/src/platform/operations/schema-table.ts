import type { JsonSchema } from '@pennypost/contract/json-schema'
import type { z } from 'zod'
import { type Html, html, markdownCode } from '../http/page.ts'
import { choicesOf, isUnion, partOf, type SchemaPart, schemaOf } from './named-schema.ts'
import { constraintWords, isMap, listed, typeWords } from './schema-words.ts'

export interface FieldRow {
  /** Dotted, from the outermost object. `[]` stands for each item of a list and `*` for each key of a map. */
  readonly path: string
  readonly isRequired: boolean
  readonly type: Html
  readonly constraints: readonly Html[]
  readonly description: string | undefined
}

interface FieldGroup {
  /** The alternative of a union that these fields belong to. Undefined for fields that are always present. */
  readonly label: Html | undefined
  readonly rows: FieldRow[]
}

/** A table of all fields of a schema, including nested ones. Named schemas inside it are linked, not repeated. */
export function schemaTable(caption: string, schema: z.ZodType, ...moreRows: readonly FieldRow[]): Html {
  return partTable(caption, schemaOf(schema), ...moreRows)
}

export function partTable(caption: string, part: SchemaPart, ...moreRows: readonly FieldRow[]): Html {
  const [always, ...shapes] = fieldGroups(part)
  const groups = [{ label: undefined, rows: [...(always?.rows ?? []), ...moreRows] }, ...shapes]
  const shown = groups.filter((group) => group.rows.length > 0)
  if (shown.length === 0) return html`<p><b>${caption}</b>: an object without fields.</p>`
  const isClosed = part.schema.additionalProperties === false
  return html`<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead>
${shown.map(groupBody)}</table>
${isClosed && html`<p class="quiet">Other fields are refused.</p>`}`
}

function groupBody({ label, rows }: FieldGroup): Html {
  return html`<tbody>
${label && html`<tr><th class="group" colspan="2" scope="rowgroup">${label}</th></tr>`}
${rows.map(rowMarkup)}</tbody>
`
}

function rowMarkup({ path, isRequired, type, constraints, description }: FieldRow): Html {
  const values = listed([html`<span class="type">${type}</span>`, ...constraints], '; ')
  return html`<tr><th scope="row">${pathMarkup(path)} <small>${isRequired ? 'required' : 'optional'}</small></th>
<td>${values}${description !== undefined && html`<span class="meaning">${markdownCode(description)}</span>`}</td></tr>
`
}

// The last name stands out. A long path can wrap after each dot.
function pathMarkup(path: string): Html {
  const names = path.split('.')
  const outer = names.slice(0, -1).map((name) => html`${name}.<wbr>`)
  return html`<code>${outer.length > 0 && html`<span class="prefix">${outer}</span>`}${names.at(-1)}</code>`
}

/** The fields of a schema: first those that are always present, then those of each alternative of each union. */
function fieldGroups(whole: SchemaPart): FieldGroup[] {
  const groups: FieldGroup[] = [{ label: undefined, rows: [] }]
  const waiting: { path: string; choices: readonly SchemaPart[]; trail: readonly unknown[] }[] = []

  function addField(rows: FieldRow[], path: string, node: JsonSchema, isRequired: boolean, trail: readonly unknown[]) {
    const part = partOf(node, whole.root)
    rows.push({
      path,
      isRequired,
      type: typeWords(part),
      constraints: constraintWords(part.name === undefined ? part.schema : node),
      description: (node.description ?? part.schema.description) as string | undefined,
    })
    addInner(rows, path, part, trail)
  }

  function addInner(rows: FieldRow[], path: string, part: SchemaPart, trail: readonly unknown[]) {
    const isWhole = path === ''
    const { schema, root, name } = part
    // A recursive schema without a name appears again as a copy that has the same parts.
    const marks = [schema.properties, schema.items, schema.anyOf ?? schema.oneOf].filter((mark) => mark !== undefined)
    if ((name !== undefined && !isWhole) || marks.some((mark) => trail.includes(mark))) return
    const deeper = [...trail, ...marks]
    const required = new Set((schema.required as string[] | undefined) ?? [])
    for (const [key, node] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>))
      addField(rows, isWhole ? key : `${path}.${key}`, node, required.has(key), deeper)
    for (const node of (schema.allOf ?? []) as JsonSchema[]) addInner(rows, path, partOf(node, root), deeper)
    if (schema.type === 'array' && schema.items)
      addInner(rows, `${path}[]`, partOf(schema.items as JsonSchema, root), deeper)
    if (isMap(schema))
      addInner(rows, isWhole ? '*' : `${path}.*`, partOf(schema.additionalProperties as JsonSchema, root), deeper)
    if (isUnion(part)) {
      const choices = choicesOf(part)
      if (choices.length === 1) addInner(rows, path, choices[0]!, deeper)
      else waiting.push({ path, choices, trail: deeper })
    }
  }

  const rows = groups[0]!.rows
  if (hasFields(whole) || isUnion(whole)) addInner(rows, '', whole, [])
  else addField(rows, 'body', whole.schema, true, [])

  for (let union = waiting.shift(); union; union = waiting.shift()) {
    for (const [index, choice] of union.choices.entries()) {
      const group: FieldGroup = { label: shapeLabel(union.path, choice, index + 1), rows: [] }
      groups.push(group)
      if (union.path === '' && !hasFields(choice)) addField(group.rows, 'body', choice.schema, true, union.trail)
      else addInner(group.rows, union.path, choice, union.trail)
    }
  }
  return groups
}

const hasFields = ({ schema }: SchemaPart): boolean =>
  'properties' in schema || 'allOf' in schema || schema.type === 'object'

/** The alternatives of a union differ in the field that has a constant value. */
function shapeLabel(path: string, { schema, root, name }: SchemaPart, position: number): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const marks = properties.filter(([, node]) => 'const' in partOf(node, root).schema)
  const place = path !== '' && html`<code>${path}</code>, `
  if (marks.length === 0) return html`${place}${name ?? `alternative ${position}`}`
  const said = marks.map(([key, node]) => html`<code>${key}</code> is <code>${JSON.stringify(node.const)}</code>`)
  return html`${place}when ${listed(said, ' and ')}`
}
