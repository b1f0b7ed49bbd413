import { posix } from 'node:path'
import type { ArchiveFiles } from './archive-files.ts'
import { collectImages, dataImage, webUrl } from './collected-images.ts'
import { readFrontMatter } from './front-matter.ts'
import { hostImages, outsideCode } from './markdown-images.ts'
import { postDetails } from './post-details.ts'
import { splitPaid, titleOf } from './post-file.ts'
import { decodePath } from './read-ghost.ts'
import {
  type Archive,
  dateOf,
  emptyPost,
  type FileSource,
  orSkipped,
  type SkippedItem,
  type SourcePost,
} from './source.ts'

// A folder of Markdown, as Hugo, Jekyll, Eleventy, Astro, Obsidian and others keep it: facts at the beginning of each file,
// images beside it or in a folder for the whole site.

const maxFileBytes = 2 * 1024 * 1024
export const isMarkdownFile = (name: string): boolean => /\.(md|markdown|mdx)$/i.test(name)
const isNoPost = (name: string): boolean => /(^|\/)(readme|license|changelog|contributing)\.\w+$/i.test(name)

export interface MarkdownOptions {
  /** The address of the old site, for links without an origin. */
  readonly siteUrl?: string | undefined
}

export async function readMarkdown(files: ArchiveFiles, options: MarkdownOptions = {}): Promise<Archive> {
  return {
    platform: 'markdown',
    authors: [],
    async *posts() {
      for (const name of files.names.filter((found) => isMarkdownFile(found) && !isNoPost(found)))
        yield await orSkipped(`markdown:${name}`, name, async () =>
          readPost(files, name, await files.readText(name, maxFileBytes), options),
        )
    },
    readFile: files.read,
    close: files.close,
  }
}

type Facts = Readonly<Record<string, unknown>>

/** The first of several facts that is a text. */
const textIn = (facts: Facts, ...names: string[]): string => {
  for (const name of names) {
    const value = facts[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return String(value)
  }
  return ''
}

/** A list of texts: a real one, or one with commas. */
const listIn = (facts: Facts, ...names: string[]): string[] =>
  names.flatMap((name) => {
    const value = facts[name]
    const items = Array.isArray(value)
      ? value.map((item) => (typeof item === 'object' ? '' : String(item)))
      : typeof value === 'string'
        ? value.split(',')
        : []
    return items.map((item) => item.trim()).filter((item) => item !== '')
  })

/** Whether a fact is true. Ruby and others read `yes` and `on` so, and texts are written for it too. */
const isTrue = (value: unknown): boolean => value === true || /^(true|yes|on|1)$/i.test(String(value ?? ''))
const isFalse = (value: unknown): boolean => value === false || /^(false|no|off|0)$/i.test(String(value ?? ''))

const notPublic = /^(draft|private|pending|future|scheduled|hidden|trash|archived)$/i

/** Who could read the whole file, according to the fields that exports of other sites and paid newsletters have. */
function accessIn(facts: Facts): SourcePost['access'] {
  const visibility = textIn(facts, 'visibility', 'access', 'audience').toLowerCase()
  if (['paid', 'paywall', 'premium', 'membersOnly', 'members_only'].some((name) => isTrue(facts[name]))) return 'paid'
  if (/^(paid|premium|tiers|only_paid|founding|subscribers)$/.test(visibility)) return 'paid'
  return /^(members|only_free)$/.test(visibility) ? 'members' : 'public'
}

function readPost(
  files: ArchiveFiles,
  name: string,
  file: string,
  { siteUrl }: MarkdownOptions,
): SourcePost | SkippedItem {
  const { facts, text } = readFrontMatter(file)
  const sourceId = `markdown:${name}`
  // Jekyll writes the date into the name of the file; Hugo puts a post and its images into a folder.
  const base = name.replace(/\.\w+$/, '').replace(/\/_?index$/, '')
  const [, day, fileSlug = ''] = /(?:^|\/)(?:(\d{4}-\d{2}-\d{2})-)?([^/]*)$/.exec(base) ?? []
  const found = titleOf({ facts, free: text })
  const title = found.title || fileSlug.replace(/[-_]+/g, ' ') || 'Untitled'
  const body = found.free
  if (body.trim() === '' && Object.keys(facts).length === 0) return { skipped: 'The file is empty.', sourceId, title }
  const notes: string[] = []
  const images = collectImages()
  const sourceOf = (address: string) => imageSource(files, name, address, siteUrl)
  const host = (part: string) => hostImages(part, images, sourceOf).trim()
  const { free, paid = '' } = splitPaid(body.replace(/^[ \t]*<!--\s*more\s*-->[ \t]*$/gim, ''))
  const isCut = paid.trim() !== ''
  const given = accessIn(facts)
  const access = isCut && given === 'public' ? 'paid' : given
  const parts = isCut || access === 'public' ? { free, paid } : { free: '', paid: free }
  if (hasHtml(body)) notes.push('It has HTML, which is shown as text here.')
  const publishedAt = dateOf(textIn(facts, 'date', 'publishedAt', 'published', 'pubDate') || day)
  const cover = textIn(facts, 'cover', 'image', 'featured_image', 'feature_image', 'thumbnail', 'heroImage')
  const isDraft =
    isTrue(facts.draft) ||
    isTrue(facts.private) ||
    isFalse(facts.published) ||
    notPublic.test(textIn(facts, 'status')) ||
    notPublic.test(textIn(facts, 'visibility')) ||
    /(^|\/)_?drafts\//.test(name)
  if (publishedAt === undefined && !isDraft) notes.push('It has no date: it becomes a draft.')
  const language = textIn(facts, 'lang', 'language', 'locale')
  return {
    ...emptyPost,
    sourceId,
    title,
    description: textIn(facts, 'description', 'excerpt', 'summary', 'subtitle'),
    status: isDraft || publishedAt === undefined ? 'draft' : 'published',
    access,
    free: host(parts.free),
    paid: host(parts.paid),
    publishedAt,
    updatedAt: dateOf(textIn(facts, 'updated', 'updatedAt', 'lastmod', 'modified', 'last_modified_at')),
    slug: textIn(facts, 'slug') || fileSlug || undefined,
    oldPaths: listIn(facts, 'permalink', 'url', 'aliases', 'redirect_from').filter((path) => /^\/[^:]*$/.test(path)),
    canonicalUrl: webUrl(textIn(facts, 'canonicalUrl', 'canonical_url', 'canonical'), undefined),
    tags: [...new Set(listIn(facts, 'tags', 'categories', 'keywords'))],
    author: textIn(facts, 'author') || listIn(facts, 'authors')[0],
    images: images.list,
    cover: cover === '' ? undefined : sourceOf(cover),
    details: { ...(language !== '' && { language }), ...postDetails(facts) },
    notes,
  }
}

function hasHtml(body: string): boolean {
  let isFound = false
  outsideCode(body, (text) => {
    if (/<(?:div|span|iframe|video|table|figure|details|script|style|center|font)\b/i.test(text)) isFound = true
    return text
  })
  return isFound
}

/** An image on the web, beside the file, or in one of the folders that generators publish as they are. */
function imageSource(
  files: ArchiveFiles,
  name: string,
  address: string,
  siteUrl: string | undefined,
): FileSource | undefined {
  if (/^https?:\/\//i.test(address) || address.startsWith('//')) {
    const url = webUrl(address, 'https://host.invalid')
    return url === undefined ? undefined : { kind: 'url', url }
  }
  if (address.startsWith('data:')) return dataImage(address)
  const path = decodePath(address.replace(/[?#].*$/, ''))
  const beside = posix.normalize(posix.join(posix.dirname(name), path))
  const ofSite = posix.normalize(path.replace(/^\/+/, ''))
  const candidates = [
    beside,
    ofSite,
    ...['static', 'public', 'assets', 'content', 'src'].map((folder) => `${folder}/${ofSite}`),
  ]
  const found = candidates.find((candidate) => files.has(candidate))
  if (found !== undefined) return { kind: 'archive', path: found }
  const url = siteUrl === undefined ? undefined : webUrl(address, siteUrl)
  return url === undefined ? undefined : { kind: 'url', url }
}
