import { createHash } from 'node:crypto'
import { zipBytes } from '@pennypost/contract/attachments'
import { RefusedError } from '@pennypost/contract/client'
import { imageBytes, inlineImageBytes } from '@pennypost/contract/images'
import { importAttachment, importImage } from '@pennypost/contract/imports'
import { FetchError, type FetchOptions, fetchFile } from './fetch-image.ts'
import { imageType } from './image-type.ts'
import { callPatiently, type ImportAccount, type RetryOptions } from './import-client.ts'
import { escapeText, writeTarget } from './markdown-text.ts'
import type { ImportBody } from './prepare-post.ts'
import { type Archive, ArchiveError, type FileSource, type SourceAttachment, type SourcePost } from './source.ts'

export interface FileOptions {
  /** Leave images where they are: they become links. */
  readonly skipImages?: boolean
  /** For an old site on this machine or its network. */
  readonly allowPrivate?: boolean
}

type WantedFile =
  | { readonly kind: 'image'; readonly key: string; readonly source: FileSource }
  | { readonly kind: 'cover'; readonly source: FileSource }
  | { readonly kind: 'attachment'; readonly attachment: SourceAttachment }

export interface FailedFile {
  readonly file: WantedFile
  readonly reason: string
}

interface PresentFiles {
  readonly images: readonly string[]
  readonly hasCover: boolean
  readonly attachments: readonly string[]
}

/** The files that a post needs. */
export function wantedFiles(post: SourcePost, body: ImportBody) {
  const text = `${body.freeContentMarkdown ?? ''}\n${body.paidContentMarkdown ?? ''}`
  const all: WantedFile[] = [
    ...post.images
      .filter(({ key }) => text.includes(`image:${key}`))
      .map(({ key, source }) => ({ kind: 'image', key, source }) as const),
    ...(post.cover ? [{ kind: 'cover', source: post.cover } as const] : []),
    // Only paid posts have ZIP files.
    ...(body.enablePaywall === true ? post.attachments : []).map(
      (attachment) => ({ kind: 'attachment', attachment }) as const,
    ),
  ]
  return {
    all,
    missingFrom(present: PresentFiles): WantedFile[] {
      const images = new Set(present.images)
      return all.filter((file) => {
        if (file.kind === 'image') return !images.has(file.key)
        if (file.kind === 'cover') return !present.hasCover
        // Their bytes would have to be read to compare them, and there are at most three.
        return present.attachments.length < post.attachments.length
      })
    },
  }
}

const maxParallelFiles = 3

/** Reads or fetches files one after the other and sends them. Returns those that could not be had. */
export async function sendFiles(
  archive: Archive,
  files: readonly WantedFile[],
  place: { readonly importId: string; readonly postId: string },
  account: ImportAccount,
  options: RetryOptions & FileOptions,
): Promise<FailedFile[]> {
  const failed: FailedFile[] = []
  const waiting = [...files]
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      options.signal?.throwIfAborted()
      try {
        await sendFile(archive, file, place, account, options)
      } catch (error) {
        const reason = reasonOf(error, file)
        if (reason === undefined) throw error
        failed.push({ file, reason })
      }
    }
  }
  await Promise.all(Array.from({ length: maxParallelFiles }, work))
  return failed
}

async function sendFile(
  archive: Archive,
  file: WantedFile,
  place: { readonly importId: string; readonly postId: string },
  account: ImportAccount,
  options: RetryOptions & FileOptions,
): Promise<void> {
  const form = new FormData()
  if (file.kind === 'attachment') {
    const { path, filename, description } = file.attachment
    const bytes = await archive.readFile(path, zipBytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    form.set('description', description)
    form.set('sha256', sha256)
    form.set('file', new File([Buffer.from(bytes)], filename, { type: 'application/zip' }))
    const idempotencyKey = `import-${createHash('sha256').update(`${sha256} ${filename}`).digest('hex').slice(0, 40)}`
    await callPatiently(importAttachment, { params: place, body: form, idempotencyKey }, account, options)
    return
  }
  if (options.skipImages) throw new FetchError('It stays where it is.')
  const maxBytes = file.kind === 'cover' ? imageBytes : inlineImageBytes
  const bytes = await readSource(archive, file.source, { maxBytes, allowPrivate: options.allowPrivate ?? false })
  const type = imageType(bytes)
  if (type === undefined) throw new FetchError('It is not a PNG, JPEG, WebP or GIF.')
  if (bytes.byteLength > maxBytes) throw new FetchError(`It is larger than ${maxBytes} bytes.`)
  form.set('file', new File([Buffer.from(bytes)], 'image', { type }))
  const idempotencyKey = `import-${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}`
  const query = file.kind === 'image' ? { key: file.key } : {}
  await callPatiently(importImage, { params: place, query, body: form, idempotencyKey }, account, options)
}

const readSource = async (archive: Archive, source: FileSource, options: FetchOptions): Promise<Uint8Array> =>
  source.kind === 'bytes'
    ? source.bytes
    : source.kind === 'archive'
      ? archive.readFile(source.path, options.maxBytes)
      : fetchFile(source.url, options)

const nameOf = (file: WantedFile): string => {
  if (file.kind === 'attachment') return `The ZIP file ${file.attachment.filename}`
  const what = file.kind === 'cover' ? 'The cover image' : 'The image'
  return file.source.kind === 'bytes'
    ? what
    : `${what} ${file.source.kind === 'url' ? file.source.url : file.source.path}`
}

/** Why a file is left out, or undefined if the import cannot go on. */
function reasonOf(error: unknown, file: WantedFile): string | undefined {
  if (error instanceof FetchError || error instanceof ArchiveError)
    return `${nameOf(file)} was left out. ${error.message}`
  const isFinal =
    error instanceof RefusedError &&
    error.status >= 400 &&
    error.status < 500 &&
    ![401, 403, 429].includes(error.status)
  return isFinal ? `${nameOf(file)} was refused: ${error.code}.` : undefined
}

/** The text with links in place of images that could not be had. An image that was in the archive leaves its description. */
export function withoutImages(body: ImportBody, failed: readonly FailedFile[]): ImportBody {
  const sources = new Map(
    failed.flatMap(({ file }) => (file.kind === 'image' ? [[file.key, file.source] as const] : [])),
  )
  if (sources.size === 0) return body
  const replace = (markdown: string | null | undefined) =>
    markdown?.replace(
      /!\[((?:\\.|[^\]\\]){0,1000})\]\(image:([A-Za-z0-9_-]{1,64})(?:\s+"((?:\\.|[^"\\]){0,1000})")?\)/g,
      (whole, alt: string, key: string, title = '') => {
        const source = sources.get(key)
        if (!source) return whole
        const text = alt || (title === '' ? 'Image' : escapeText(title.replace(/\\(.)/g, '$1')))
        return source.kind === 'url' ? `[${text}](${writeTarget(source.url)})` : text
      },
    )
  return {
    ...body,
    freeContentMarkdown: replace(body.freeContentMarkdown) ?? null,
    paidContentMarkdown: replace(body.paidContentMarkdown) ?? null,
  }
}
