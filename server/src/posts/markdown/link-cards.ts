import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/**
 * Makes a card of a bare link that is alone in its paragraph: its host, then the rest of the URL. Nothing is fetched for it,
 * neither by us nor by the reader's browser.
 */
export function linkCards(md: MarkdownIt): void {
  md.core.ruler.push('link_cards', (state) => {
    state.tokens.forEach((token, index) => {
      // Level 1 is the text of a paragraph that is in nothing else: no list, quote or footnote.
      if (token.type !== 'inline' || token.level !== 1 || state.tokens[index - 1]?.type !== 'paragraph_open') return
      token.children = cardOf(token.children ?? [], state) ?? token.children
    })
  })
}

function cardOf(children: Token[], state: StateCore): Token[] | undefined {
  const [open, text, close] = children
  if (children.length !== 3 || open!.type !== 'link_open' || open!.info !== 'auto' || close!.type !== 'link_close')
    return
  const href = String(open!.attrGet('href'))
  // As `new URL` spells it: letters that look like those of another host are in Punycode.
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return
  open!.attrSet('class', 'link-card')
  const host = new state.Token('text', '', 0)
  host.content = new URL(href).host
  text!.content = state.md.normalizeLinkText(href).replace(/^https?:\/\/[^/?#]*\/?/i, ' ')
  return [
    open!,
    new state.Token('strong_open', 'strong', 1),
    host,
    new state.Token('strong_close', 'strong', -1),
    text!,
    close!,
  ]
}
