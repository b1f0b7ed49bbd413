/** How a language writes values. */
export interface LiteralStyle {
  readonly constants: Readonly<Record<string, string>>
  /** Whether a key that is a name can stand without quotes. */
  readonly bareKeys: boolean
}

const maxLineLength = 80

/** A JSON value in another language: on one line if it is short, otherwise a line for each item. */
export function literal(value: unknown, style: LiteralStyle, indent = ''): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return style.constants[String(value)] ?? String(value)
  const inner = `${indent}${style.bareKeys ? '  ' : '    '}`
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, style, inner))
    : Object.entries(value).map(([key, item]) => `${keyOf(key, style)}: ${literal(item, style, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const pad = style.bareKeys && !Array.isArray(value) ? ' ' : ''
  const line = items.length === 0 ? open + close : `${open}${pad}${items.join(', ')}${pad}${close}`
  if (line.length + indent.length <= maxLineLength && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}

const keyOf = (key: string, { bareKeys }: LiteralStyle): string =>
  bareKeys && /^[a-z_$][\w$]*$/i.test(key) ? key : quoted(key)

// Both languages read the escapes of JSON.
const quoted = (text: string): string => {
  const escaped = JSON.stringify(text)
  return /['\\]/.test(escaped) ? escaped : `'${escaped.slice(1, -1).replaceAll('\\"', '"')}'`
}
