import { posix } from 'node:path'
import type { GuideFile } from './guide-files.ts'

/** Hosts that stand for "this service" in our Markdown. On the site they become its own. */
const placeholders = ['https://your.site', 'https://YOUR-SITE', 'https://pennypost.example']

/** A service on the reader's own machine, which may listen on another port than the usual one. */
const localService = 'http://localhost:3000'

export function withOrigin(text: string, origin: string): string {
  const ours = new URL(origin).hostname === 'localhost' ? [...placeholders, localService] : placeholders
  return ours.reduce((changed, placeholder) => changed.replaceAll(placeholder, () => origin), text)
}

const codeBlock = /^(```.*?^```[^\n]*$)/ms
// Marks for programs that write a part of the page.
const comment = /^<!--.*-->\n/gm
const link = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

/**
 * The Markdown of a guide with links that work on the site. Links to other guides lead to their pages, with `ending` after
 * the path. Files that only the repository has are named, not linked.
 */
export function linkToPages({ path, markdown }: GuideFile, guides: readonly GuideFile[], ending = ''): string {
  return markdown
    .split(codeBlock)
    .map((part) => (part.startsWith('```') ? part : part.replace(comment, '').replace(link, linked)))
    .join('')

  function linked(whole: string, text: string, target: string): string {
    if (/^(?:[a-z]+:|#|\/)/.test(target)) return whole
    const [file, anchor] = target.split('#') as [string, string?]
    const guide = guides.find((each) => each.path === posix.join(posix.dirname(path), file))
    return guide ? `[${text}](/docs/${guide.slug}${ending}${anchor ? `#${anchor}` : ''})` : text
  }
}
