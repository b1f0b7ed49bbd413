import { isImageKey } from './images.ts'
import { isPermittedHref } from './links.ts'

type Allowed = Record<string, (value: string) => boolean>

const matches = (pattern: RegExp) => (value: string) => pattern.test(value)
const anything = () => true
const id = matches(/^(?:paid-)?content-[\p{L}\p{M}\p{N}_.-]{1,160}$/u)
const plain = (tag: string): [string, Allowed] => [tag, {}]

// All elements and attributes that a post may contain. Attributes are written in this order.
const elements = new Map<string, Allowed>([
  ...[
    'p',
    'br',
    'hr',
    'blockquote',
    'pre',
    'ul',
    'em',
    'strong',
    's',
    'sup',
    'table',
    'thead',
    'tbody',
    'tr',
    'figure',
    'figcaption',
  ].map(plain),
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

// MathML as Temml writes it, without styles (our content security policy blocks them), links and actions.
const length = matches(/^-?\d{0,4}(?:\.\d{1,6})?(?:em|ex|px|pt|mu|%)?$/)
const flag = matches(/^(?:true|false)$/)
const side = matches(/^(?:left|right|center)$/)
const mathElements = new Map<string, Allowed>([
  ['math', { display: matches(/^(?:block|inline)$/) }],
  ...['mn', 'mtext', 'msup', 'msub', 'msubsup', 'munderover', 'msqrt', 'mroot', 'mtr', 'mphantom', 'mprescripts'].map(
    plain,
  ),
  plain('mmultiscripts'),
  ['mi', { mathvariant: matches(/^normal$/) }],
  [
    'mo',
    {
      form: matches(/^(?:prefix|infix|postfix)$/),
      fence: flag,
      separator: flag,
      stretchy: flag,
      symmetric: flag,
      movablelimits: flag,
      lspace: length,
      rspace: length,
      minsize: length,
      maxsize: length,
    },
  ],
  ['mrow', { displaystyle: flag, scriptlevel: matches(/^[+-]?\d$/) }],
  ['mstyle', { displaystyle: flag, scriptlevel: matches(/^[+-]?\d$/) }],
  ['mspace', { width: length, height: length, depth: length }],
  ['mpadded', { width: length, height: length, depth: length, lspace: length, voffset: length }],
  ['mfrac', { linethickness: length }],
  ['mover', { accent: flag }],
  ['munder', { accentunder: flag }],
  ['mtable', { displaystyle: flag, columnalign: matches(/^(?:(?:left|right|center) ?){1,20}$/) }],
  ['mtd', { class: matches(/^tml-(?:left|right)$/), columnalign: side, columnspan: matches(/^\d$/) }],
])

/** They hold text only: elements inside them would be parsed as HTML. */
const mathTexts = new Set(['mi', 'mn', 'mo', 'mtext'])

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

function openTag(name: string, written: string, isInMath: boolean): string | undefined {
  // Neither kind is inside the other, where browsers would parse it differently.
  const allowed = isInMath !== (name === 'math') ? mathElements.get(name) : elements.get(name)
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

/**
 * The last step of every render: only the elements above come out, each one closed, whatever earlier rules did. MathML only
 * for posts with formulas.
 */
export function sanitize(html: string, hasMath = false): string {
  // The open elements, and whether each was written: the closing tag of a dropped element is dropped too.
  const open: { name: string; isWritten: boolean }[] = []
  let isInMath = false
  let isInMathText = false
  const clean = html.replace(tagOrBracket, (match, slash, closing, opening, attributes) => {
    if (slash) {
      if (open.at(-1)?.name !== closing) return ''
      if (!open.pop()!.isWritten) return ''
      if (closing === 'math') isInMath = false
      if (mathTexts.has(closing)) isInMathText = false
      return match
    }
    if (!opening) return match === '<' ? '&lt;' : '&gt;'
    const isAllowed = open.length < deepest && (hasMath || opening !== 'math') && !isInMathText
    const tag = isAllowed ? openTag(opening, attributes, isInMath) : undefined
    if (opening === 'math' && tag !== undefined) isInMath = true
    if (mathTexts.has(opening) && tag !== undefined) isInMathText = true
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
