import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Parser } from 'htmlparser2'
import { collectImages, webUrl } from './collected-images.ts'
import { withoutWordpressParts } from './gated-content.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import {
  type Archive,
  ArchiveError,
  dateOf,
  emptyPost,
  type FileSource,
  orSkipped,
  type SkippedItem,
  type SourceAuthor,
  type SourcePost,
} from './source.ts'
import { expandShortcodes, paragraphs } from './wordpress-content.ts'

// WordPress's export (WXR): RSS with extra elements. It is read in pieces, because it can be larger than memory, and
// twice: images of a post are separate items, often after it. Entities of a DTD are never expanded.

const maxXmlBytes = 4 * 1024 * 1024 * 1024
const maxItemCharacters = 8_000_000
const maxAttachments = 200_000

interface Item {
  readonly fields: Map<string, string>
  readonly terms: { readonly domain: string; readonly name: string }[]
  readonly meta: Map<string, string>
}

interface Channel {
  readonly origin: string | undefined
  readonly authors: SourceAuthor[]
  readonly attachments: Map<string, string>
}

export async function readWordpress(path: string): Promise<Archive> {
  if ((await stat(path)).size > maxXmlBytes) throw new ArchiveError('The file is larger than 4 GB.')
  const channel = await readChannel(path)
  return {
    platform: 'wordpress',
    authors: channel.authors,
    async *posts() {
      for await (const item of itemsOf(path)) {
        if (isOther(item)) continue
        const { sourceId, title } = namesOf(item, channel)
        yield await orSkipped(sourceId, title, () => readItem(item, channel))
      }
    },
    readFile: async (name) => {
      throw new ArchiveError(`${name} is not in the archive: WordPress exports no files.`)
    },
    close: async () => {},
  }
}

/** The first reading: the site, its authors, and where its images are. */
async function readChannel(path: string): Promise<Channel> {
  const channel: { origin: string | undefined; authors: SourceAuthor[]; attachments: Map<string, string> } = {
    origin: undefined,
    authors: [],
    attachments: new Map(),
  }
  for await (const item of itemsOf(path, (name, fields) => {
    if (name === 'link') channel.origin ??= webUrl(fields.get('link') ?? '', undefined)
    if (name !== 'wp:author') return
    const key = fields.get('wp:author_login') ?? ''
    channel.authors.push({ key, name: fields.get('wp:author_display_name') || key })
  })) {
    const url = item.fields.get('wp:attachment_url')
    if (item.fields.get('wp:post_type') !== 'attachment' || url === undefined) continue
    if (channel.attachments.size >= maxAttachments)
      throw new ArchiveError(`There are more than ${maxAttachments} images.`)
    channel.attachments.set(item.fields.get('wp:post_id') ?? '', url)
  }
  return channel
}

type OnOther = (name: string, fields: Map<string, string>) => void

async function* itemsOf(path: string, onOther?: OnOther): AsyncGenerator<Item> {
  const ready: Item[] = []
  const parser = itemParser((item) => ready.push(item), onOther)
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    parser.write(chunk as string)
    yield* ready.splice(0)
  }
  parser.end()
  yield* ready.splice(0)
}

/** Elements that hold what we read, inside of `item`, `wp:author` or the channel itself. */
function itemParser(onItem: (item: Item) => void, onOther: OnOther = () => {}): Parser {
  const path: string[] = []
  let item: Item | undefined
  let fields = new Map<string, string>()
  let parts: string[] = []
  let characters = 0
  let term = { domain: '' }
  let metaKey = ''
  return new Parser(
    {
      onopentag(name, attributes) {
        path.push(name)
        if (path.length > 50) throw new ArchiveError('The XML is nested too deeply.')
        parts = []
        if (name === 'item') {
          item = { fields: new Map(), terms: [], meta: new Map() }
          characters = 0
        }
        if (name === 'wp:author') fields = new Map()
        if (name === 'category') term = { domain: attributes.domain ?? '' }
      },
      ontext(text) {
        characters += text.length
        if (item && characters > maxItemCharacters)
          throw new ArchiveError(`An item is larger than ${maxItemCharacters} characters.`)
        if (!item && parts.length > 10_000) return
        parts.push(text)
      },
      onclosetag(name) {
        path.pop()
        const text = parts.join('')
        parts = []
        const outer = path.at(-1)
        if (name === 'item') {
          if (item) onItem(item)
          item = undefined
        } else if (item && outer === 'wp:postmeta') {
          if (name === 'wp:meta_key') metaKey = text
          if (name === 'wp:meta_value' && item.meta.size < 500) item.meta.set(metaKey, text)
        } else if (item && outer === 'item') {
          if (name === 'category') item.terms.push({ ...term, name: text })
          else item.fields.set(name, text)
        } else if (!item && outer === 'wp:author') fields.set(name, text)
        else if (!item && name === 'wp:author') onOther(name, fields)
        else if (!item && outer === 'channel') onOther(name, new Map([[name, text]]))
      },
    },
    { xmlMode: true },
  )
}

const skippedStatus: Readonly<Record<string, string>> = {
  trash: 'It is in the bin.',
  'auto-draft': 'It is an empty draft that WordPress made.',
  inherit: 'It is an earlier version.',
}

/** Menus, images, styles and versions are items too. */
function isOther({ fields }: Item): boolean {
  const type = fields.get('wp:post_type') || 'post'
  const isKnown = type === 'attachment' || type === 'nav_menu_item' || type === 'revision' || type.startsWith('wp_')
  return isKnown || (fields.get('wp:post_id') || fields.get('guid') || '') === ''
}

function namesOf({ fields }: Item, { origin }: Channel) {
  const host = origin === undefined ? 'site' : new URL(origin).host
  return {
    sourceId: `wordpress:${host}:${fields.get('wp:post_id') || fields.get('guid')}`,
    title: fields.get('title')?.trim() || 'Untitled',
  }
}

function readItem(item: Item, channel: Channel): SourcePost | SkippedItem {
  const { fields, terms, meta } = item
  const { sourceId, title } = namesOf(item, channel)
  const field = (name: string) => fields.get(name) ?? ''
  const type = field('wp:post_type') || 'post'
  const status = field('wp:status') || 'publish'
  if (type !== 'post') return { skipped: `It is a ${type}, not a post.`, sourceId, title }
  if (skippedStatus[status] !== undefined) return { skipped: skippedStatus[status], sourceId, title }
  const notes: string[] = []
  const images = collectImages()
  const urlOf = (attachment: string) => channel.attachments.get(attachment)
  const note = (text: string) => notes.push(text)
  const convert = (part: string) => {
    const content = expandShortcodes(part, { urlOf, note })
    // What comes before the mark is a teaser on lists: readers see all of the post.
    const html = content.replace(/<!--\s*more\b[^>]*-->|<!--\s*nextpage\s*-->/gi, '')
    return htmlToMarkdown(html, { images, baseUrl: channel.origin, note })
  }
  const { open, hidden, isForMembers } = withoutWordpressParts(paragraphs(field('content:encoded')))
  const newsletter = newsletterAccess(meta.get('_jetpack_newsletter_access') ?? '')
  const access = newsletter !== 'public' || hidden === '' ? newsletter : isForMembers ? 'members' : 'paid'
  const isWhole = access === 'public' || hidden !== ''
  if (hidden !== '') note('Parts of it were not for everyone: they are behind the paywall now.')
  const isProtected = field('wp:post_password') !== ''
  if (isProtected) notes.push('It had a password: it becomes a draft.')
  if (status === 'private') notes.push('It was private: it becomes a draft.')
  if (status === 'future') notes.push('It was scheduled: it becomes a draft.')
  const cover = webUrl(urlOf(meta.get('_thumbnail_id') ?? '') ?? '', channel.origin)
  return {
    ...emptyPost,
    sourceId,
    title,
    description: plainText(field('excerpt:encoded')),
    status: status === 'publish' && !isProtected ? 'published' : 'draft',
    access,
    free: isWhole ? convert(open) : '',
    paid: isWhole ? convert(hidden) : convert(open),
    publishedAt:
      wordpressDate(field('wp:post_date_gmt')) ?? dateOf(field('pubDate')) ?? wordpressDate(field('wp:post_date')),
    updatedAt: wordpressDate(field('wp:post_modified_gmt')),
    slug: field('wp:post_name') || undefined,
    oldPaths: pathsOf(field('link'), meta),
    tags: terms.filter(({ domain, name }) => isTag(domain, name)).map(({ name }) => name),
    author: field('dc:creator') || undefined,
    canonicalUrl: webUrl(meta.get('_yoast_wpseo_canonical') ?? '', undefined),
    images: images.list,
    cover: cover === undefined ? undefined : ({ kind: 'url', url: cover } satisfies FileSource),
    notes,
  }
}

/** Jetpack's newsletters: `everybody`, `subscribers`, `paid_subscribers` or `paid_subscribers_all_tiers`. */
const newsletterAccess = (given: string): SourcePost['access'] =>
  given === '' || given === 'everybody' ? 'public' : given === 'subscribers' ? 'members' : 'paid'

const isTag = (domain: string, name: string): boolean =>
  (domain === 'post_tag' || domain === 'category') && !/^(uncategorized|allgemein)$/i.test(name)

const plainText = (html: string): string =>
  html
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** `2019-05-17 08:00:00`, in UTC. */
const wordpressDate = (text: string): Date | undefined =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? dateOf(`${text.replace(' ', 'T')}Z`) : undefined

/** The permalink, and slugs that the post had before. Addresses with a query, as drafts have, lead nowhere. */
function pathsOf(link: string, meta: ReadonlyMap<string, string>): string[] {
  const url = webUrl(link, undefined)
  if (url === undefined || new URL(url).search !== '') return []
  const { pathname } = new URL(url)
  const old = meta.get('_wp_old_slug')
  const parent = pathname.replace(/[^/]+\/?$/, '')
  return [pathname, ...(old === undefined || old === '' ? [] : [`${parent}${encodeURIComponent(old)}/`])].filter(
    (path) => path !== '/',
  )
}
