// The form into which every reader turns an archive.

export type Platform = 'ghost' | 'wordpress' | 'substack' | 'medium' | 'markdown' | 'pennypost'

/** Where the bytes of a file are. Files on the web are fetched by this program, never by the service. */
export type FileSource =
  | { readonly kind: 'archive'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

export interface SourceImage {
  /** The text refers to it as `image:KEY`. */
  readonly key: string
  readonly source: FileSource
}

export interface SourceAttachment {
  readonly path: string
  readonly filename: string
  readonly description: string
}

/** A post in the one shape that the importer knows. Both parts are Markdown. */
export interface SourcePost {
  /** Its id on its platform, such as `ghost:63f0c2`. It stays the same in every export. */
  readonly sourceId: string
  readonly title: string
  readonly description: string
  readonly status: 'draft' | 'published'
  /** Who could read all of it: everyone, people who signed up, or people who paid. */
  readonly access: 'public' | 'members' | 'paid'
  readonly free: string
  readonly paid: string
  readonly publishedAt: Date | undefined
  readonly updatedAt: Date | undefined
  readonly slug: string | undefined
  /** Paths of the old site, without its origin. */
  readonly oldPaths: readonly string[]
  readonly canonicalUrl: string | undefined
  readonly tags: readonly string[]
  /** The key of its author in `Archive.authors`. */
  readonly author: string | undefined
  readonly images: readonly SourceImage[]
  readonly cover: FileSource | undefined
  readonly attachments: readonly SourceAttachment[]
  /** Details that only a Pennypost archive or a front matter has. */
  readonly details: SourceDetails
  /** The losses and changes, for people to read. */
  readonly notes: readonly string[]
}

export interface SourceDetails {
  readonly price?: { readonly currency: 'XNO' | 'USDC'; readonly atomic: string }
  readonly category?: string
  readonly language?: string
  readonly creationMethod?: string
  readonly creationDetails?: string
  readonly commentsEnabled?: boolean
  readonly agentCommentsEnabled?: boolean
  readonly searchPaidContent?: boolean
  readonly math?: boolean
}

/** Something in the archive that is not imported, and why. */
export interface SkippedItem {
  readonly skipped: string
  readonly sourceId: string
  readonly title: string
}

export interface SourceAuthor {
  readonly key: string
  readonly name: string
}

export interface Archive {
  readonly platform: Platform
  /** Who wrote the posts, as far as the archive says it before they are read. */
  readonly authors: readonly SourceAuthor[]
  /** Reads the posts one by one. Can be called again. */
  posts(): AsyncIterable<SourcePost | SkippedItem>
  /** Reads a file that a post names. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** The archive cannot be read. The message is for people. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Reads a post. One that cannot be read is left out, and the others are still read. */
export async function orSkipped(
  sourceId: string,
  title: string,
  read: () => SourcePost | SkippedItem | Promise<SourcePost | SkippedItem>,
): Promise<SourcePost | SkippedItem> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ArchiveError) return { skipped: error.message, sourceId, title }
    throw error
  }
}

export const emptyPost = {
  description: '',
  access: 'public',
  paid: '',
  publishedAt: undefined,
  updatedAt: undefined,
  slug: undefined,
  oldPaths: [],
  canonicalUrl: undefined,
  tags: [],
  author: undefined,
  images: [],
  cover: undefined,
  attachments: [],
  details: {},
  notes: [],
} as const satisfies Partial<SourcePost>

/** A date, or undefined if the text is not one. Platforms write drafts as the year 0. */
export function dateOf(text: unknown): Date | undefined {
  if (text instanceof Date) return Number.isNaN(text.getTime()) ? undefined : text
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  const date = new Date(text)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1990 ? undefined : date
}
