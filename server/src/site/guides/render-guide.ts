import { renderToString } from '@pennypost/site/jsx/markup'
import { sanitizedHtml } from '../../platform/http/page.ts'
import { type Sample, type SampleLanguage, sampleLanguages, sampleTabs } from '../../platform/operations/sample-tabs.ts'
import { renderMarkdown } from '../../posts/markdown/render.ts'
import type { GuideFile } from './guide-files.ts'
import { linkToPages } from './guide-links.ts'
import type { Guide, Section } from './guides.ts'

/** Renders every guide. The texts are ours, so this needs no separate thread. */
export const renderGuides = (files: readonly GuideFile[]): Guide[] =>
  files.map((file) => {
    // A post has two parts, whose ids differ by a prefix. A guide keeps the ids that its headings have on other sites.
    const shown = renderMarkdown(linkToPages(file, files)).html.replace(/ (id="|href="#)content-/g, ' $1')
    const { slug, group, title, description } = file
    const markdown = linkToPages(file, files, '.md')
    return { slug, group, title, description, markdown, html: withTabs(shown), sections: sectionsOf(shown) }
  })

const block = /<pre><code class="language-(\w+)">(.*?)<\/code><\/pre>\n/gs
const severalBlocks = /(?:<pre><code class="language-\w+">(?:(?!<\/pre>).)*<\/code><\/pre>\n){2,}/gs

/** Code blocks that follow each other in the languages of our samples become tabs. */
function withTabs(markup: string): string {
  let count = 0
  return markup.replace(severalBlocks, (blocks) => {
    const samples = [...blocks.matchAll(block)].flatMap(([, language, code]): Sample[] =>
      isSampleLanguage(language!) ? [{ language, code: sanitizedHtml(code!) }] : [],
    )
    if (samples.length < 2) return blocks
    count += 1
    return renderToString(sampleTabs(`sample-${count}`, samples))
  })
}

const isSampleLanguage = (name: string): name is SampleLanguage => Object.hasOwn(sampleLanguages, name)

function sectionsOf(markup: string): Section[] {
  return markup.split(/(?=<h[1-3] id=")/).flatMap((part) => {
    const found = /^<h(\d) id="([^"]*)">(.*?)<\/h\d>/s.exec(part)
    if (!found) return []
    const [whole, level, id, heading] = found
    return [{ level: Number(level), id: id!, text: textOf(heading!), body: textOf(part.slice(whole.length)) }]
  })
}

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }

const textOf = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, (tag) => (/^<\/?(?:p|li|td|th|tr|pre)\b/.test(tag) ? ' ' : ''))
    .replace(/&(#39|\w+);/g, (whole, name: string) => characters[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
