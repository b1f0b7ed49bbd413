import type { MarkdownIt } from 'markdown-it'
import { inlineText } from './plain-text.ts'

const source = /^image:([A-Za-z0-9_-]{1,64})$/

export const imageKeyIn = (href: string): string | undefined => source.exec(href)?.[1]

export const isImageKey = (key: string): boolean => imageKeyIn(`image:${key}`) !== undefined

export function imagePlaceholders(md: MarkdownIt): void {
  md.renderer.rules.image = (tokens, index) => {
    const token = tokens[index]!
    const alt = inlineText(token.children ?? []).replace(/\s+/g, ' ')
    return `<img data-image-key="${token.meta?.key}" alt="${md.utils.escapeHtml(alt)}" />`
  }
}

// Exactly what the sanitizer writes. It escapes `<` and `>` in text and in attributes alike, so a literal `<img` is
// always an element of ours and no text can look like one.
const placeholder = /<img data-image-key="([A-Za-z0-9_-]{1,64})" alt="([^"<>]*)" \/>/g
const emptyLink = /<a href="[^"<>]*"(?: title="[^"<>]*")? rel="[^"<>]*"><\/a>/g
const emptyParagraph = /<p>\s*<\/p>\n?/g

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Swaps the public address of each image into stored html; an image without one leaves nothing behind. */
export function resolveImages(html: string, urlOf: (key: string) => string | undefined): string {
  let hasGone = false
  const resolved = html.replace(placeholder, (_, key: string, alt: string) => {
    const url = urlOf(key)
    if (url !== undefined) {
      const src = url.replace(/[&<>"]/g, (character) => escapes[character]!)
      return `<img src="${src}" alt="${alt}" loading="lazy" decoding="async" />`
    }
    hasGone = true
    return ''
  })
  return hasGone ? resolved.replace(emptyLink, '').replace(emptyParagraph, '') : resolved
}
