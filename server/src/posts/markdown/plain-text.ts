import type { Token } from 'markdown-it'

export function inlineText(tokens: Token[]): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' '
    else if (token.type === 'figcaption_open') text += ' '
    else if (token.type === 'image') text += inlineText(token.children ?? [])
    else if (token.type === 'text' || token.type === 'text_special' || isVerbatim(token)) text += token.content
  }
  return text
}

const isVerbatim = ({ type }: Token): boolean => type === 'code_inline' || type === 'formula'

export function plainText(tokens: Token[]): string {
  const pieces: string[] = []
  for (const token of tokens) {
    if (token.type === 'inline') pieces.push(inlineText(token.children ?? []))
    else if (token.type === 'fence' || token.type === 'code_block' || token.type === 'formula_block')
      pieces.push(token.content)
  }
  return pieces.join(' ').replace(/\s+/g, ' ').trim()
}
