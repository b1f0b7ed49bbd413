import type { ArchiveFiles } from './archive-files.ts'
import { collectImages, webUrl } from './collected-images.ts'
import { withoutGhostBlocks } from './gated-content.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import {
  type Archive,
  ArchiveError,
  dateOf,
  emptyPost,
  type FileSource,
  orSkipped,
  type SkippedItem,
  type SourcePost,
} from './source.ts'

// Ghost's export: one JSON file with tables. `html` is what readers see; `lexical` and `mobiledoc` are the editor's own
// formats of the same and are not read. Members-only content begins at a comment in the HTML.

export const maxJsonBytes = 400 * 1024 * 1024

interface Row {
  readonly [column: string]: unknown
}

const rowsOf = (data: Row, table: string): Row[] =>
  Array.isArray(data[table])
    ? (data[table] as unknown[]).filter((row): row is Row => typeof row === 'object' && row !== null)
    : []
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The tables of an export, or undefined if the JSON is something else. */
export function ghostData(json: unknown): Row | undefined {
  const db = (json as { db?: unknown } | null)?.db
  const first = Array.isArray(db) ? db[0] : json
  const data = (first as { data?: unknown } | null)?.data
  return typeof data === 'object' && data !== null && 'posts' in data ? (data as Row) : undefined
}

export interface GhostOptions {
  /** The address of the old site. Without it, images that are not in the archive cannot be found. */
  readonly siteUrl?: string | undefined
}

/** An export as JSON, alone or in a ZIP together with `content/images`. */
export async function readGhost(files: ArchiveFiles, name: string, options: GhostOptions): Promise<Archive> {
  const data = ghostData(parseJson(await files.readText(name, maxJsonBytes)))
  if (!data) throw new ArchiveError(`${name} is not an export of Ghost.`)
  const users = new Map(rowsOf(data, 'users').map((user) => [text(user.id), text(user.name) || text(user.slug)]))
  const authors = firstOf(rowsOf(data, 'posts_authors'), 'author_id')
  const tags = tagsByPost(data)
  const meta = new Map(rowsOf(data, 'posts_meta').map((row) => [text(row.post_id), row]))
  return {
    platform: 'ghost',
    authors: [...users].map(([key, authorName]) => ({ key, name: authorName })),
    async *posts() {
      for (const row of rowsOf(data, 'posts')) {
        const id = text(row.id) || text(row.uuid)
        if (id === '') continue
        const parts = {
          author: authors.get(id) ?? text(row.author_id),
          tags: tags.get(id) ?? [],
          meta: meta.get(id) ?? {},
        }
        yield await orSkipped(`ghost:${id}`, text(row.title), () => readPost(files, row, id, parts, options))
      }
    },
    readFile: files.read,
    close: files.close,
  }
}

export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    throw new ArchiveError('The JSON file is damaged.')
  }
}

/** The first value of each post, by `sort_order`. */
function firstOf(rows: readonly Row[], column: string): Map<string, string> {
  const found = new Map<string, string>()
  const sorted = rows.toSorted((one, other) => Number(one.sort_order ?? 0) - Number(other.sort_order ?? 0))
  for (const row of sorted) if (!found.has(text(row.post_id))) found.set(text(row.post_id), text(row[column]))
  return found
}

function tagsByPost(data: Row): Map<string, string[]> {
  // A name with # is for the author only.
  const names = new Map(rowsOf(data, 'tags').map((tag) => [text(tag.id), text(tag.name)]))
  const found = new Map<string, string[]>()
  const rows = rowsOf(data, 'posts_tags').toSorted(
    (one, other) => Number(one.sort_order ?? 0) - Number(other.sort_order ?? 0),
  )
  for (const { post_id, tag_id } of rows) {
    const name = names.get(text(tag_id)) ?? ''
    if (name !== '' && !name.startsWith('#')) found.set(text(post_id), [...(found.get(text(post_id)) ?? []), name])
  }
  return found
}

interface PostParts {
  readonly author: string
  readonly tags: readonly string[]
  readonly meta: Row
}

const membersOnly = /<!--\s*members-only\s*-->/i

function readPost(
  files: ArchiveFiles,
  row: Row,
  id: string,
  { author, tags, meta }: PostParts,
  { siteUrl }: GhostOptions,
): SourcePost | SkippedItem {
  const title = text(row.title) || 'Untitled'
  const sourceId = `ghost:${id}`
  if (row.type === 'page' || row.page === 1 || row.page === true)
    return { skipped: 'It is a page, not a post.', sourceId, title }
  const html = text(row.html)
  if (html === '' && (text(row.lexical) !== '' || text(row.mobiledoc) !== ''))
    return { skipped: 'The export has no HTML of it. Export it again from a newer Ghost.', sourceId, title }
  const notes: string[] = []
  const images = collectImages()
  const resolve = (address: string) =>
    address.replace(/^(?:__GHOST_URL__|%%GHOST_URL%%)/, siteUrl?.replace(/\/$/, '') ?? '')
  const findImage = (src: string): FileSource | undefined => imageInArchive(files, src)
  const convert = (part: string) =>
    htmlToMarkdown(part.replaceAll(/__GHOST_URL__/g, siteUrl?.replace(/\/$/, '') ?? '__GHOST_URL__'), {
      images,
      baseUrl: siteUrl,
      findImage,
      note: (note) => notes.push(note),
    })
  const visibility = accessOf(row)
  const [preview, ...rest] = html.split(membersOnly)
  const isSplit = rest.length > 0
  const isOpen = visibility === 'public'
  const { open, hidden, isForMembers } = withoutGhostBlocks(isOpen ? html : isSplit ? preview! : '')
  const access = isOpen && hidden !== '' ? (isForMembers ? 'members' : 'paid') : visibility
  const free = convert(open)
  const paid = convert(
    [hidden, isOpen ? '' : isSplit ? rest.join('\n') : html].filter((part) => part !== '').join('\n'),
  )
  if (hidden !== '') notes.push('Parts of it were not for everyone: they are behind the paywall now.')
  if (row.status === 'sent') notes.push('It was sent by email only.')
  const cover = text(row.feature_image)
  const coverUrl = webUrl(resolve(cover), siteUrl)
  if (cover.startsWith('__GHOST_URL__') && siteUrl === undefined && !findImage(cover))
    notes.push('Its cover image is on the old site: say what the address of that site is.')
  const slug = text(row.slug)
  return {
    ...emptyPost,
    sourceId,
    title,
    description: text(row.custom_excerpt) || text(meta.meta_description),
    status: row.status === 'published' || row.status === 'sent' ? 'published' : 'draft',
    access,
    free,
    paid,
    publishedAt: dateOf(row.published_at),
    updatedAt: dateOf(row.updated_at),
    slug: slug || undefined,
    oldPaths: slug === '' ? [] : [`/${slug}/`],
    canonicalUrl: webUrl(text(row.canonical_url), undefined),
    tags,
    author: author || undefined,
    images: images.list,
    cover:
      cover === ''
        ? undefined
        : (findImage(cover) ?? (coverUrl === undefined ? undefined : { kind: 'url', url: coverUrl })),
    details: {},
    notes: row.status === 'scheduled' ? [...notes, 'It was scheduled: it becomes a draft.'] : notes,
  }
}

function accessOf(row: Row): SourcePost['access'] {
  const visibility = text(row.visibility)
  if (visibility === 'members') return 'members'
  if (visibility !== 'public' && visibility !== '') return 'paid'
  // What was only emailed was on no page: `all` members got it, or those of a filter such as `status:-free`.
  if (row.status !== 'sent') return 'public'
  return /^(all|none)?$/.test(text(row.email_recipient_filter)) ? 'members' : 'paid'
}

/** Files of the site, if the archive has its `content` folder. */
function imageInArchive(files: ArchiveFiles, src: string): FileSource | undefined {
  const [, path] = /(\/content\/(?:images|media|files)\/[^?#]+)/.exec(src) ?? []
  if (path === undefined) return undefined
  const decoded = decodePath(path)
  const found = [
    decoded.slice(1),
    decoded.replace(/^\/content\//, ''),
    decoded.replace(/\/size\/w\d+\//, '/').slice(1),
  ].find((name) => files.has(name))
  return found === undefined ? undefined : { kind: 'archive', path: found }
}

export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
