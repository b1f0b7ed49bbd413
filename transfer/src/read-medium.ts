import type { ArchiveFiles } from './archive-files.ts'
import { collectImages, webUrl } from './collected-images.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { elementsInside, findInside, type HtmlElement, hasClass, parseHtml, textOf } from './html-tree.ts'
import { maxHtmlBytes } from './read-substack.ts'
import { type Archive, dateOf, emptyPost, orSkipped, type SkippedItem, type SourcePost } from './source.ts'

// Medium's export: posts/{date}_{title}-{id}.html, or draft_… for drafts. Each file is a page with microformats. Responses
// to others are posts too; a post that was locked for members says so nowhere, so the owner has to.

const postFile = /(?:^|\/)posts\/[^/]+\.html$/

export const isMediumFile = (name: string): boolean => postFile.test(name)

export async function readMedium(files: ArchiveFiles): Promise<Archive> {
  return {
    platform: 'medium',
    authors: [],
    async *posts() {
      for (const name of files.names.filter(isMediumFile))
        yield await orSkipped(`medium:${name}`, name, async () =>
          readPost(name, await files.readText(name, maxHtmlBytes)),
        )
    },
    readFile: files.read,
    close: files.close,
  }
}

function readPost(name: string, html: string): SourcePost | SkippedItem {
  const file = name.replace(/^.*\//, '').replace(/\.html$/, '')
  const page: HtmlElement = { name: '', attributes: {}, children: parseHtml(html), hasBlock: true }
  const canonical = webUrl(findInside(page, '.p-canonical')?.attributes.href ?? '', undefined)
  // The id at the end of the file name is that of the address, and the only thing that never changes.
  const [, id = file] = /-{1,2}([0-9a-f]{8,14})$/.exec(canonical ?? '') ?? /-{1,2}([0-9a-f]{8,14})$/.exec(file) ?? []
  const sourceId = `medium:${id}`
  const title = textOf(findInside(page, '.p-name') ?? '').trim() || 'Untitled'
  const body = findInside(page, '.e-content')
  if (!body) return { skipped: 'It has no text.', sourceId, title }
  const heading = [...elementsInside(body)].find((element) => hasClass(element, 'graf--title'))
  const hasOwnTitle = heading !== undefined && sameText(textOf(heading), title)
  const isResponse =
    !hasOwnTitle && !/<h[1-4]\b/i.test(html.slice(html.indexOf('e-content'))) && textOf(body).length < 1500
  if (isResponse) return { skipped: 'It is a response to someone else’s post.', sourceId, title }
  const notes: string[] = []
  const images = collectImages()
  const free = htmlToMarkdown(withoutTitle(bodyHtml(html), hasOwnTitle), { images, note: (note) => notes.push(note) })
  const [, slug] = canonical === undefined ? [] : (/\/([^/]+?)-[0-9a-f]{8,14}$/.exec(new URL(canonical).pathname) ?? [])
  const isDraft = file.startsWith('draft_')
  return {
    ...emptyPost,
    sourceId,
    title,
    description: textOf(findInside(page, '.p-summary') ?? '')
      .replace(/\s+/g, ' ')
      .trim(),
    status: isDraft ? 'draft' : 'published',
    free,
    publishedAt: dateOf(findInside(page, '.dt-published')?.attributes.datetime),
    slug,
    // Without the name of the account, which is different here.
    oldPaths: canonical === undefined ? [] : [new URL(canonical).pathname],
    author: textOf(findInside(page, '.p-author') ?? '').trim() || undefined,
    images: images.list,
    notes,
  }
}

const sameText = (one: string, other: string): boolean =>
  one.replace(/\s+/g, ' ').trim() === other.replace(/\s+/g, ' ').trim()

/** The text of the post: what is in the section, without the footer of the page. */
function bodyHtml(html: string): string {
  const start = html.search(/<section\b[^>]{0,300}\be-content\b/i)
  const end = html.search(/<footer\b/i)
  return html.slice(start === -1 ? 0 : start, end > start ? end : undefined)
}

/** The title is in the text once more, with a line above it. */
function withoutTitle(html: string, hasOwnTitle: boolean): string {
  const plain = html.replace(/<div class="section-divider">\s*<hr[^>]{0,200}>\s*<\/div>/i, '')
  return hasOwnTitle
    ? plain.replace(/<h([1-4])\b[^>]{0,500}\bgraf--title\b[^>]{0,500}>[\s\S]{0,2000}?<\/h\1>/i, '')
    : plain
}
