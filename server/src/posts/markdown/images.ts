import { escapeHtml } from '@pennypost/site/escape-html'
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

// Exactly what the sanitizer writes. It escapes `<` and `>` in text and in attributes, so `<img` is always an element
// and never text.
const placeholder = /<img data-image-key="([A-Za-z0-9_-]{1,64})" alt="([^"<>]*)" \/>/g
const emptyLink = /<a href="[^"<>]*"(?: title="[^"<>]*")? rel="[^"<>]*"><\/a>/g
const emptyParagraph = /<p>\s*<\/p>\n?/g
const emptyFigure = /<figure><figcaption>[^<>]*<\/figcaption><\/figure>\n?/g

/** Replaces the image placeholders in stored HTML with the images' URLs. Removes images that have no URL. */
export function resolveImages(html: string, urlOf: (key: string) => string | undefined): string {
  let isAnyRemoved = false
  const resolved = html.replace(placeholder, (_, key: string, alt: string) => {
    const url = urlOf(key)
    if (url !== undefined) {
      return `<img src="${escapeHtml(url)}" alt="${alt}" loading="lazy" decoding="async" />`
    }
    isAnyRemoved = true
    return ''
  })
  return isAnyRemoved ? resolved.replace(emptyLink, '').replace(emptyParagraph, '').replace(emptyFigure, '') : resolved
}
