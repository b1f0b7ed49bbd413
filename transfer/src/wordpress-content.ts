import { escapeHtml } from './escape-html.ts'

/**
 * The classic editor stores paragraphs as empty lines, and line breaks as lines. Posts of the block editor have marks, and
 * real paragraphs.
 */
export function paragraphs(content: string): string {
  if (/<!--\s*wp:/.test(content)) return content
  return content
    .replace(/\r\n?/g, '\n')
    .split(/(<pre\b[\s\S]*?<\/pre>)/i)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\n[ \t]*\n\s*/g, '<p></p>').replace(/([^>\s])[ \t]*\n(?=[^\s<])/g, '$1<br>'),
    )
    .join('')
}

interface Shortcodes {
  /** The address of an image by its id. */
  readonly urlOf: (attachment: string) => string | undefined
  readonly note: (text: string) => void
}

// Bounded, so that a text full of brackets is not read again and again.
const shortcode = /\[(\/?)([a-z][a-z0-9_-]{1,40})((?:\s+[^\][<>]{0,2000})?)\/?\]/gi

/** Turns the shortcodes that WordPress itself has into HTML. Shortcodes of plugins are removed, but their content stays. */
export function expandShortcodes(html: string, { urlOf, note }: Shortcodes): string {
  const unknown = new Set<string>()
  const closed = new Set(
    [...html.matchAll(shortcode)].filter(([, slash]) => slash === '/').map(([, , name]) => name!.toLowerCase()),
  )
  const expanded = html
    .replace(/\[caption\b[^\]]{0,2000}\]([^[]{0,20000})\[\/caption\]/gi, (_, inner: string) => captioned(inner))
    .replace(shortcode, (whole, slash: string, given: string, attributes: string) => {
      const name = given.toLowerCase()
      if (name === 'gallery' && slash === '') return gallery(attributes, urlOf)
      if (name === 'embed' || name === 'caption') return ''
      if ((name === 'video' || name === 'audio') && slash === '') return linkTo(attributes)
      // Brackets in a sentence, such as [sic], are not shortcodes.
      if (!closed.has(name) && !/=\s*["'\w]/.test(attributes)) return whole
      unknown.add(name)
      return ''
    })
  for (const name of unknown) note(`The shortcode [${name}] was left out.`)
  return expanded
}

const captioned = (inner: string): string => {
  const [, image = '', caption = ''] =
    /^\s*((?:<a\b[^>]{0,2000}>)?\s*<img\b[^>]{0,4000}>\s*(?:<\/a>)?)([\s\S]*)$/i.exec(inner) ?? []
  return image === '' ? inner : `<figure>${image}<figcaption>${caption}</figcaption></figure>`
}

function gallery(attributes: string, urlOf: Shortcodes['urlOf']): string {
  const [, ids = ''] = /\bids\s*=\s*["']([\d,\s]{1,2000})["']/i.exec(attributes) ?? []
  const urls = ids.split(',').flatMap((id) => urlOf(id.trim()) ?? [])
  return urls.map((url) => `<figure><img src="${escapeHtml(url)}"></figure>`).join('')
}

function linkTo(attributes: string): string {
  const [, url = ''] = /\b(?:src|mp4|mp3|webm|m4a)\s*=\s*["']([^"']{1,2000})["']/i.exec(attributes) ?? []
  return url === '' ? '' : `<video src="${escapeHtml(url)}"></video>`
}
