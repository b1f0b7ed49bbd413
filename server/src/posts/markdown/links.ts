import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { imageKeyIn } from './images.ts'
import { inlineText } from './plain-text.ts'
import type { PostEnv } from './post-env.ts'

// `[a]: /long` followed by thousands of `[a]` would otherwise multiply 200 KB into gigabytes.
const referenceBudget = 500_000
const deepestEmphasis = 50

// The second character matters: browsers read `/\` as `//`, another site.
const permitted = /^(?:https?:\/\/[^\s\\/?#<>"]|mailto:[^\s\\<>"]|#|\/(?![/\\]))[^\s\\<>"]*$/i

export const isPermittedHref = (href: string) => permitted.test(href)

const isWeb = (href: string) => /^https?:/i.test(href) && isPermittedHref(href)

// Ids in the page carry the prefix of their part, so a link to a heading has to as well. An author who copied the
// address bar already has it.
const withinPart = (href: string, idPrefix: string) =>
  href === '#' || /^#(?:paid-)?content-/.test(href) ? href : `#${idPrefix}${href.slice(1)}`

function target(token: Token, attribute: string, env: PostEnv): string {
  const href = String(token.attrGet(attribute) ?? '')
  if (token.meta?.label === undefined) return href
  env.referenceCharacters += href.length + String(token.attrGet('title') ?? '').length
  return env.referenceCharacters > referenceBudget ? '' : href
}

function withPolicy(tokens: Token[], state: StateCore, env: PostEnv): Token[] {
  const kept: Token[] = []
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = target(token, 'href', env)
      const isKept = isPermittedHref(href) && !open.includes(true)
      open.push(isKept)
      if (!isKept) continue
      if (href.startsWith('#')) token.attrSet('href', withinPart(href, env.idPrefix))
      kept.push(token)
    } else if (token.type === 'link_close') {
      if (open.pop()) kept.push(token)
    } else if (token.nesting !== 0 && token.level >= deepestEmphasis) {
      // Thousands of `*a *a *a` nest as deep as they are many; opening and closing token have the same level.
    } else if (token.type === 'image') {
      kept.push(...imageOrLink(token, state, env, open.includes(true)))
    } else kept.push(token)
  }
  return kept
}

// A reader's browser asks only our origin: an image from elsewhere is a link to it, and anything else is nothing.
function imageOrLink(token: Token, state: StateCore, env: PostEnv, isInLink: boolean): Token[] {
  const source = target(token, 'src', env)
  const key = imageKeyIn(source)
  if (key !== undefined) {
    env.imageKeys.add(key)
    token.meta = { key }
    return [token]
  }
  if (!isWeb(source)) return []
  const label = new state.Token('text', '', 0)
  label.content = inlineText(token.children ?? []).trim() || state.md.normalizeLinkText(source)
  if (isInLink) return [label]
  const open = new state.Token('link_open', 'a', 1)
  open.attrSet('href', source)
  return [open, label, new state.Token('link_close', 'a', -1)]
}

// linkify-it's own pattern for hosts costs a second on 200 KB of `www.`
const bareName = String.raw`(?!www\.)(?:[a-z0-9\u00a1-\uffff-]{1,63}\.){1,5}[a-z\u00a1-\uffff]{2,24}(?![a-z0-9_\-]|\.[a-z0-9])`
let bareHost: RegExp | undefined

export function linkPolicy(md: MarkdownIt): void {
  // Every target is let through the parser and judged once, above: refused here, its Markdown would stay as text.
  md.validateLink = () => true
  md.linkify
    .set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false, maxLength: 2048 })
    .add('ftp:', null)
    .add('//', null)
    // Only `www.` of the bare hosts, as on GitHub: README.md and deploy.sh are files, not sites.
    .add('www.', {
      validate(text, position, self) {
        bareHost ??= new RegExp(bareName + self.re.get_path().source, 'iy')
        bareHost.lastIndex = position
        return bareHost.exec(text)?.[0].length ?? 0
      },
      normalize(match) {
        match.url = `http://${match.url}`
      },
    })
  md.core.ruler.push('link_policy', (state) => {
    for (const token of state.tokens)
      if (token.children) token.children = withPolicy(token.children, state, state.env as PostEnv)
  })
}
