import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { imageKeyIn } from './images.ts'
import { inlineText } from './plain-text.ts'
import type { PostEnv } from './post-env.ts'

// Without this budget, `[a]: /long` and thousands of `[a]` would turn 200 KB into gigabytes.
const referenceBudget = 500_000
const maxEmphasisDepth = 50

// A path must not begin with `/\`: browsers read it as `//`, which is another site.
const permitted = /^(?:https?:\/\/[^\s\\/?#<>"]|mailto:[^\s\\<>"]|#|\/(?![/\\]))[^\s\\<>"]*$/i

export const isPermittedHref = (href: string) => permitted.test(href)

const isWeb = (href: string) => /^https?:/i.test(href) && isPermittedHref(href)

// Adds the part's id prefix to a link to a heading, because heading ids have it too. A link copied from the address bar
// already has it.
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
    } else if (token.nesting !== 0 && token.level >= maxEmphasisDepth) {
      // Drops deep emphasis: thousands of `*a *a *a` nest just as deep. Opening and closing tokens have the same level.
    } else if (token.type === 'image') {
      kept.push(...imageOrLink(token, state, env, open.includes(true)))
    } else kept.push(token)
  }
  return kept
}

// A reader's browser must only load images from our origin. An image from another site becomes a link to it, and any
// other image is dropped.
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

// linkify-it's own pattern for hosts takes a second for 200 KB of `www.`
const bareName = String.raw`(?!www\.)(?:[a-z0-9\u00a1-\uffff-]{1,63}\.){1,5}[a-z\u00a1-\uffff]{2,24}(?![a-z0-9_\-]|\.[a-z0-9])`
let bareHost: RegExp | undefined

export function linkPolicy(md: MarkdownIt): void {
  // The parser accepts every target, and withPolicy checks them all. A target refused here would stay in the text as
  // Markdown.
  md.validateLink = () => true
  md.linkify
    .set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false, maxLength: 2048 })
    .add('ftp:', null)
    .add('//', null)
    // As on GitHub, a host without a scheme is linked only if it starts with `www.`: README.md is a file, not a site.
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
