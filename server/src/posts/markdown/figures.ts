import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/** Makes a figure of a hosted image that is alone in its paragraph and has a title: `![alt](image:key "caption")`. */
export function figures(md: MarkdownIt): void {
  md.core.ruler.push('figures', (state) => {
    state.tokens.forEach((token, index) => {
      const open = state.tokens[index - 1]
      // In the items of a dense list a paragraph has no tags, so there is nothing to replace.
      if (token.type !== 'inline' || open?.type !== 'paragraph_open' || open.hidden) return
      const captioned = captionedImage(token.children ?? [], state)
      if (!captioned) return
      token.children = captioned
      open.tag = 'figure'
      state.tokens[index + 1]!.tag = 'figure'
    })
  })
}

function captionedImage(children: Token[], state: StateCore): Token[] | undefined {
  const [image] = children
  if (children.length !== 1 || image!.type !== 'image') return undefined
  const caption = new state.Token('text', '', 0)
  caption.content = String(image!.attrGet('title') ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  if (caption.content === '') return undefined
  const open = new state.Token('figcaption_open', 'figcaption', 1)
  return [image!, open, caption, new state.Token('figcaption_close', 'figcaption', -1)]
}
