import type { MarkdownIt } from 'markdown-it'
import { inlineText } from './plain-text.ts'
import type { PostEnv } from './post-env.ts'

const maxSlugLength = 64

function headingSlug(text: string): string {
  const words = text
    .slice(0, 1000)
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-')
  return [...words].slice(0, maxSlugLength).join('')
}

export function headingIds(md: MarkdownIt): void {
  md.core.ruler.push('heading_ids', ({ tokens, env }) => {
    const { idPrefix } = env as PostEnv
    const used = new Set<string>()
    const last = new Map<string, number>()
    tokens.forEach((token, index) => {
      if (token.type !== 'heading_open') return
      const slug = headingSlug(inlineText(tokens[index + 1]?.children ?? []))
      if (slug === '') return
      let candidate = slug
      let count = last.get(slug) ?? 0
      while (used.has(candidate)) candidate = `${slug}-${++count}`
      last.set(slug, count)
      used.add(candidate)
      token.attrSet('id', idPrefix + candidate)
    })
  })
}
