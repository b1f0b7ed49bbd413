import type { ArchiveFiles } from './archive-files.ts'
import { collectImages, webUrl } from './collected-images.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { readCsv } from './read-csv.ts'
import { type Archive, dateOf, emptyPost, orSkipped, type SkippedItem, type SourcePost } from './source.ts'

// Substack's export: posts.csv with a line for each post, and posts/{id}.html with its text. `audience` says who could
// read it; where the paid part begins is an element in the text.

const maxCsvBytes = 64 * 1024 * 1024
export const maxHtmlBytes = 8 * 1024 * 1024
const paywall = /<div\b[^>]{0,500}\bclass="[^"]{0,200}\bpaywall-jump\b[^"]{0,200}"[^>]{0,2000}>(?:\s*<\/div>)?/i

export async function readSubstack(files: ArchiveFiles, csvName: string): Promise<Archive> {
  const rows = readCsv(await files.readText(csvName, maxCsvBytes))
  const folder = csvName.replace(/posts\.csv$/, '')
  return {
    platform: 'substack',
    authors: [],
    async *posts() {
      for (const row of rows) {
        const id = row.post_id ?? ''
        if (id === '') continue
        const title = row.title ?? ''
        yield await orSkipped(`substack:${id}`, title, () => readPost(files, folder, id, row))
      }
    },
    readFile: files.read,
    close: files.close,
  }
}

async function readPost(
  files: ArchiveFiles,
  folder: string,
  id: string,
  row: Record<string, string>,
): Promise<SourcePost | SkippedItem> {
  const title = row.title?.trim() || 'Untitled'
  // `12345.my-post`: the number stays when the title changes.
  const [, number = id, slug = ''] = /^(\d+)\.?(.*)$/.exec(id) ?? []
  const sourceId = `substack:${number}`
  if (row.type === 'podcast' || row.type === 'thread' || row.type === 'restack')
    return { skipped: `It is a ${row.type}, not a post.`, sourceId, title }
  const name = `${folder}posts/${id}.html`
  if (!files.has(name)) return { skipped: 'Its text is not in the archive.', sourceId, title }
  const html = await files.readText(name, maxHtmlBytes)
  const notes: string[] = []
  const images = collectImages()
  const convert = (part: string) => htmlToMarkdown(part, { images, note: (note) => notes.push(note) })
  const isPublished = /^true$/i.test(row.is_published ?? '')
  const access = accessOf(row.audience ?? '', isPublished)
  const [preview, ...rest] = html.split(paywall)
  const isOpen = access === 'public'
  const free = isOpen || rest.length > 0 ? convert(isOpen ? html.replace(paywall, '') : preview!) : ''
  const paid = isOpen ? '' : convert(rest.length > 0 ? rest.join('') : html)
  return {
    ...emptyPost,
    sourceId,
    title,
    description: row.subtitle?.trim() ?? '',
    status: isPublished ? 'published' : 'draft',
    access,
    free,
    paid,
    publishedAt: dateOf(row.post_date),
    slug: slug || undefined,
    oldPaths: slug === '' ? [] : [`/p/${slug}`],
    images: images.list,
    cover: coverOf(row.cover_image ?? ''),
    notes: row.podcast_url ? [...notes, 'Its audio was left out.'] : notes,
  }
}

/** The access of a post. An audience that we do not know, such as `founding`, was not everyone. */
function accessOf(audience: string, isPublished: boolean): SourcePost['access'] {
  if (audience === 'everyone' || (audience === '' && !isPublished)) return 'public'
  return audience === 'only_free' ? 'members' : 'paid'
}

function coverOf(given: string): SourcePost['cover'] {
  const url = webUrl(given, undefined)
  return url === undefined ? undefined : { kind: 'url', url }
}
