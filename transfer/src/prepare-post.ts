import { createHash } from 'node:crypto'
import { ImportedPost, normalPath } from '@pennypost/contract/imported-post'
import type { z } from 'zod'
import type { Platform, SourcePost } from './source.ts'

/** Decisions of the owner that the archive does not contain. */
export interface ImportChoices {
  /** For posts that are paid and have no price of their own. Without it they become drafts; they are never made free. */
  readonly price?: { readonly currency: 'XNO' | 'USDC'; readonly atomic: string }
  /** How to import posts for people who signed up but did not pay. Default: `paid`, so nothing becomes more public. */
  readonly members?: 'paid' | 'free' | 'draft'
  readonly category?: string
  readonly language?: string
  readonly creationMethod?: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent'
  /** Imports everything as a draft. */
  readonly asDrafts?: boolean
  /** Name the old pages as the originals, for posts that stay there too. Needs `siteUrl`. */
  readonly keepOldPagesCanonical?: boolean
  readonly siteUrl?: string
  /** Replace posts that were edited here since they were imported. */
  readonly overwrite?: boolean
  /** The current time: later dates are in the future. By default the clock of this machine. */
  readonly now?: Date
}

export type ImportBody = z.input<typeof ImportedPost>

export interface PreparedPost {
  readonly body: ImportBody
  /** Why the service would refuse it. */
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

const maxTags = 10
const slugCharacters = 200

/** Turns a post of an archive into what the service takes, and says what changes. */
export function preparePost(post: SourcePost, platform: Platform, choices: ImportChoices): PreparedPost {
  const notes = [...post.notes]
  const access = accessOf(post, choices, notes)
  const isDraft =
    post.status === 'draft' || choices.asDrafts === true || access === 'draft' || post.publishedAt === undefined
  const price = access === 'paid' ? (post.details.price ?? choices.price) : post.details.price
  if (access === 'paid' && price === undefined) notes.push('It is paid and has no price: it becomes a draft.')
  const isBlocked = access === 'paid' && price === undefined
  // A public post can have a paid part that nobody reads, because its paywall is off. It stays apart.
  const isJoined = access === 'free' && post.access !== 'public'
  const [free, paid] = isJoined ? [joined(post.free, post.paid), ''] : [post.free, post.paid]
  const slug = slugFrom(post.slug, platform, notes)
  const body: ImportBody = {
    sourceId: post.sourceId,
    title: cut(post.title.trim() || 'Untitled', 200, 'title', notes),
    description: cut(post.description.trim(), 500, 'description', notes),
    freeContentMarkdown: free,
    paidContentMarkdown: paid,
    enablePaywall: access === 'paid' || (access === 'draft' && paid !== ''),
    status: isDraft || isBlocked ? 'draft' : 'published',
    tags: tagsOf(post.tags, notes),
    oldPaths: [...new Set(post.oldPaths.flatMap((path) => normalPath(path) ?? []))].slice(0, 5),
    creationMethod: (post.details.creationMethod ?? choices.creationMethod ?? 'human') as 'human',
    category: post.details.category ?? choices.category ?? 'other',
    language: post.details.language ?? choices.language ?? 'en',
    canonicalUrl: canonicalOf(post, choices) ?? null,
    ...(price && { priceCurrency: price.currency, priceAtomic: price.atomic }),
    ...(post.details.creationDetails !== undefined && { creationDetails: post.details.creationDetails }),
    ...(post.details.commentsEnabled !== undefined && { commentsEnabled: post.details.commentsEnabled }),
    ...(post.details.agentCommentsEnabled !== undefined && { agentCommentsEnabled: post.details.agentCommentsEnabled }),
    ...(post.details.searchPaidContent !== undefined && { searchPaidContent: post.details.searchPaidContent }),
    ...(post.details.math !== undefined && { math: post.details.math }),
    ...(slug !== undefined && { slug }),
    ...dates(post, choices.now ?? new Date(), notes),
    ...(choices.overwrite && { overwrite: true }),
  }
  const checked = ImportedPost.safeParse(body)
  const problems = checked.success
    ? []
    : checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  return { body: { ...body, fingerprint: fingerprintOf(body, post) }, problems, notes }
}

type Access = 'free' | 'paid' | 'draft'

function accessOf({ access }: SourcePost, { members = 'paid' }: ImportChoices, notes: string[]): Access {
  if (access === 'public') return 'free'
  if (access === 'paid') return 'paid'
  const becomes = { paid: 'it becomes a paid post', free: 'it becomes free', draft: 'it becomes a draft' }[members]
  notes.push(`It was for people who signed up: ${becomes}.`)
  return members
}

const joined = (free: string, paid: string): string => [free, paid].filter((part) => part !== '').join('\n\n')

function cut(text: string, characters: number, what: string, notes: string[]): string {
  const all = [...text]
  if (all.length <= characters) return text
  notes.push(`Its ${what} was cut to ${characters} characters.`)
  return `${all
    .slice(0, characters - 1)
    .join('')
    .trimEnd()}…`
}

function tagsOf(tags: readonly string[], notes: string[]): string[] {
  const usable = tags.map((tag) => [...tag.trim()].slice(0, 64).join('').trim()).filter((tag) => tag !== '')
  const distinct = [...new Map(usable.map((tag) => [tag.toLowerCase(), tag])).values()]
  if (distinct.length > maxTags) notes.push(`Tags were left out: ${distinct.slice(maxTags).join(', ')}.`)
  return distinct.slice(0, maxTags)
}

/** A slug as the service takes it: letters and digits with single hyphens. WordPress keeps other letters percent-encoded. */
function slugFrom(given: string | undefined, platform: Platform, notes: string[]): string | undefined {
  if (given === undefined) return undefined
  let decoded = given
  try {
    decoded = decodeURIComponent(given)
  } catch {
    // It is a percent sign, not an encoding.
  }
  const slug = [
    ...decoded
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
      .replaceAll(/(^|-)[\p{M}-]+/gu, '$1'),
  ]
    .slice(0, slugCharacters)
    .join('')
    .replace(/^-+|-+$/g, '')
  if (slug !== decoded && platform !== 'markdown') notes.push(`Its slug is now ${slug || 'made of its title'}.`)
  return slug === '' ? undefined : slug
}

function dates({ publishedAt, updatedAt }: SourcePost, now: Date, notes: string[]) {
  if (publishedAt !== undefined && publishedAt > now) {
    notes.push('Its date is in the future: it becomes a draft without one.')
    return { status: 'draft' as const }
  }
  // Clocks of old sites were wrong now and then.
  const isUsable =
    updatedAt !== undefined && updatedAt <= now && !(publishedAt !== undefined && updatedAt < publishedAt)
  return {
    ...(publishedAt && { publishedAt: publishedAt.toISOString() }),
    ...(isUsable && { updatedAt: updatedAt.toISOString() }),
  }
}

function canonicalOf(post: SourcePost, { keepOldPagesCanonical, siteUrl }: ImportChoices): string | undefined {
  if (post.canonicalUrl !== undefined) return post.canonicalUrl
  const [path] = post.oldPaths
  if (!keepOldPagesCanonical || siteUrl === undefined || path === undefined || !URL.canParse(path, siteUrl))
    return undefined
  return new URL(path, siteUrl).href
}

/** A hash of what is sent, and of the files that belong to it. */
function fingerprintOf(body: ImportBody, { images, cover, attachments }: SourcePost): string {
  const { overwrite: _, ...content } = body
  const files = [images.map(({ key }) => key), cover?.kind === 'bytes' ? 'bytes' : cover, attachments]
  return createHash('sha256')
    .update(JSON.stringify([content, files]))
    .digest('hex')
    .slice(0, 40)
}
