import { isImageKey } from './images.ts'
import { isPermittedHref } from './links.ts'

type Allowed = Record<string, (value: string) => boolean>

const matches = (pattern: RegExp) => (value: string) => pattern.test(value)
const anything = () => true
const id = matches(/^(?:paid-)?content-[\p{L}\p{M}\p{N}_.-]{1,160}$/u)
const plain = (tag: string): [string, Allowed] => [tag, {}]

// All elements and attributes that a post may contain. Attributes are written in this order.
const elements = new Map<string, Allowed>([
  ...['p', 'br', 'hr', 'blockquote', 'pre', 'ul', 'em', 'strong', 's', 'sup', 'table', 'thead', 'tbody', 'tr'].map(
    plain,
  ),
  ...['th', 'td'].map((tag): [string, Allowed] => [tag, { align: matches(/^(?:left|center|right)$/) }]),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag): [string, Allowed] => [tag, { id }]),
  ['ol', { start: matches(/^\d{1,9}$/) }],
  ['li', { id, class: matches(/^task$/), value: matches(/^\d{1,4}$/) }],
  ['code', { class: matches(/^language-[a-z0-9+#-]{1,20}$/) }],
  ['span', { class: matches(/^(?:hljs-[a-z_-]{1,30}|language-[a-z]{1,20})(?: [a-z]{1,20}_{1,3}){0,2}$/) }],
  ['section', { class: matches(/^footnotes$/), role: matches(/^doc-endnotes$/) }],
  [
    'a',
    {
      href: isPermittedHref,
      title: anything,
      id,
      role: matches(/^doc-(?:noteref|backlink)$/),
      class: matches(/^link-card$/),
    },
  ],
  ['img', { 'data-image-key': isImageKey, alt: anything }],
  ['input', { type: matches(/^checkbox$/), checked: matches(/^checked$/) }],
])

// Attributes added to every element of this name.
const given = new Map([
  ['a', ' rel="nofollow ugc noopener noreferrer"'],
  ['input', ' disabled="disabled"'],
])
const needed = new Map([
  ['a', 'href'],
  ['img', 'data-image-key'],
  ['input', 'type'],
])
const empty = new Set(['br', 'hr', 'img', 'input'])

const deepest = 250

// A tag is recognized only in the exact form in which markdown-it writes it; any other `<` is escaped as text. So
// hostile HTML is never parsed, and we don't have to agree with browsers about how to parse it.
const tagOrBracket =
  /<(?:(\/)([a-z][a-z0-9]*)|([a-z][a-z0-9]*)((?: [a-z-]+="(?:[^"<>&]|&(?:amp|lt|gt|quot);)*")*)(?: \/)?)>|[<>]/g
const attribute = / ([a-z-]+)="([^"]*)"/g
const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const decoded = (value: string) => value.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name]!)

function openTag(name: string, written: string): string | undefined {
  const allowed = elements.get(name)
  if (!allowed) return undefined
  const found = new Map<string, string>()
  if (written) for (const [, key, value] of written.matchAll(attribute)) if (!found.has(key!)) found.set(key!, value!)
  let tag = `<${name}`
  for (const key in allowed) {
    const value = found.get(key)
    if (value !== undefined && allowed[key]!(decoded(value))) tag += ` ${key}="${value}"`
    else if (key === needed.get(name)) return undefined
  }
  return `${tag}${given.get(name) ?? ''}${empty.has(name) ? ' />' : '>'}`
}

/** The last step of every render: only the elements above come out, each one closed, whatever earlier rules did. */
export function sanitize(html: string): string {
  // The open elements, and whether each was written: the closing tag of a dropped element is dropped too.
  const open: { name: string; isWritten: boolean }[] = []
  const clean = html.replace(tagOrBracket, (match, slash, closing, opening, attributes) => {
    if (slash) {
      if (open.at(-1)?.name !== closing) return ''
      return open.pop()!.isWritten ? match : ''
    }
    if (!opening) return match === '<' ? '&lt;' : '&gt;'
    const tag = open.length < deepest ? openTag(opening, attributes) : undefined
    if (!empty.has(opening)) open.push({ name: opening, isWritten: tag !== undefined })
    return tag ?? ''
  })
  return (
    clean +
    open
      .reverse()
      .map(({ name, isWritten }) => (isWritten ? `</${name}>` : ''))
      .join('')
  )
}
