// Parts of a post that its old site showed to some readers only, in the middle of the text. They must never become public.

/** A text without the parts that not everyone could read, and those parts. */
export interface GatedText {
  readonly open: string
  readonly hidden: string
  /** Whether people who signed up and did not pay could read all of it. */
  readonly isForMembers: boolean
}

const ghostBlock = /<!--\s*kg-gated-block:begin\s+([^\n]{0,500}?)\s*-->([\s\S]*?)<!--\s*kg-gated-block:end\s*-->/gi

/** Ghost: a card says who sees it, `<!--kg-gated-block:begin nonMember:false memberSegment:"status:-free" -->`. */
export function withoutGhostBlocks(html: string): GatedText {
  const hidden: string[] = []
  let isForMembers = true
  const open = html.replace(ghostBlock, (_, about: string, content: string) => {
    if (/\bnonMember:\s*true\b/i.test(about)) return content
    if (!/\bstatus:free\b/i.test(about)) isForMembers = false
    hidden.push(content)
    return ''
  })
  return { open, hidden: hidden.join('\n'), isForMembers }
}

const wordpressPaywall = /<!--\s*wp:jetpack\/paywall\b[^>]*-->/i
const wordpressBlock = /<!--\s*wp:(premium-content\/container|jetpack\/paid-content)\b[^>]{0,2000}-->/gi
const shortcode = /\[([a-z][a-z0-9_-]{1,40})(?:\s[^\]]{0,2000})?\]/gi
/** Words in the names of shortcodes by which plugins for memberships hide what is between them. */
const hidingName =
  /restrict|member|subscri|premium|paywall|paid|private|protect|logged_?in|^s2if|^wlm|^mepr|^pmpro|^ihc-hide|^rcp/i

/**
 * WordPress: Jetpack's paywall hides all that follows, its premium content and the shortcodes of plugins what is between two
 * marks.
 */
export function withoutWordpressParts(content: string): GatedText {
  const [before = '', ...rest] = content.split(wordpressPaywall)
  const blocks = cutBetween(before, wordpressBlock, (name) => `<!-- /wp:${name} -->`)
  const codes = cutBetween(blocks.open, shortcode, (name) => (hidingName.test(name) ? `[/${name}]` : undefined))
  return {
    open: codes.open,
    hidden: [...codes.cut, ...blocks.cut, ...rest].join('\n'),
    isForMembers: codes.cut.length === 0 && blocks.cut.length === 0,
  }
}

/** Cuts out what is between an opening mark and its closing one. A mark that is never closed hides nothing. */
function cutBetween(text: string, opening: RegExp, closingOf: (name: string) => string | undefined) {
  const lower = text.toLowerCase()
  const cut: string[] = []
  const open: string[] = []
  // Looked for once only, so that thousands of marks without an end cost little.
  const neverClosed = new Set<string>()
  let from = 0
  for (const { 0: mark, 1: name, index } of text.matchAll(opening)) {
    const closing = closingOf(name!.toLowerCase())
    if (closing === undefined || index < from || neverClosed.has(closing)) continue
    const end = lower.indexOf(closing, index + mark.length)
    if (end === -1) {
      neverClosed.add(closing)
      continue
    }
    open.push(text.slice(from, index))
    cut.push(text.slice(index + mark.length, end))
    from = end + closing.length
  }
  return { open: [...open, text.slice(from)].join(''), cut }
}
