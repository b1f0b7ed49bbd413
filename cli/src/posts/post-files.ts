import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Post } from '@pennypost/sdk'
import { CliError } from '../frame/cli-error.ts'
import { type LocalImage, readImageFile } from './local-images.ts'
import { insideFolder, type LocalPost } from './local-post.ts'
import type { Pushing } from './pushing.ts'

const maxZipBytes = 10 * 1024 * 1024
const maxCoverBytes = 2 * 1024 * 1024

interface LocalZip {
  readonly filename: string
  readonly description: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

interface LocalCover extends Pick<LocalImage, 'bytes' | 'type'> {
  readonly name: string
}

export interface FilePlan {
  readonly images: readonly LocalImage[]
  readonly zips: readonly LocalZip[]
  readonly cover: LocalCover | undefined
  /** The names of what is sent, for people. */
  readonly names: readonly string[]
  readonly notes: readonly string[]
}

/** The cover and the ZIP files that a post names. */
export interface LocalFiles {
  readonly cover: LocalCover | undefined
  /** Undefined if the post says nothing about them. */
  readonly zips: readonly ZipEntry[] | undefined
}

/** Reads the cover and the ZIP files. Done before anything is sent, so a wrong name leaves no draft behind. */
export const readLocalFiles = async (local: LocalPost): Promise<LocalFiles> => ({
  cover: await localCover(local),
  zips: await localZips(local),
})

/** The files that the service does not have yet. */
export async function planFiles(
  pushing: Pushing,
  { cover: coverFact, zips: entries }: LocalFiles,
  post: Post,
  wanted: readonly LocalImage[],
): Promise<FilePlan> {
  const { pennypost, shell } = pushing
  const { signal } = shell
  const uploads = wanted.length > 0 || coverFact ? pennypost.images.list({ postId: post.id }, { signal }) : []
  const present = new Set<string>()
  for await (const { safety } of uploads)
    if (safety.eligible && safety.targetKind === 'inline') present.add(safety.targetKey)
  const images = wanted.filter(({ key }) => !present.has(key))
  const cover = coverFact && !(await isSent(pushing, post, coverFact)) ? coverFact : undefined
  const { attachments } =
    entries === undefined ? { attachments: [] } : await pennypost.attachments.list(post.id, { signal })
  const ready = attachments.filter(({ state }) => state === 'ready')
  const zips = (entries ?? []).flatMap((entry) =>
    entry.zip === undefined ||
    ready.some(({ filename, sha256 }) => filename === entry.zip!.filename && sha256 === entry.sha256)
      ? []
      : [entry.zip],
  )
  const names = [
    ...images.map(({ name }) => `image ${name}`),
    ...(cover ? [`cover ${cover.name}`] : []),
    ...zips.map(({ filename }) => `ZIP ${filename}`),
  ]
  const kept = new Set(entries?.map(({ filename }) => filename))
  const notes = ready
    .filter(({ filename }) => !kept.has(filename))
    .map(({ filename }) => `The post also has ${filename}, which the file does not name. It was kept.`)
  return { images, zips, cover, names, notes }
}

/** Sends the ZIP files and the cover. Images of the text were sent before the text that shows them. */
export async function sendFiles({ pennypost, shell, store }: Pushing, post: Post, plan: FilePlan): Promise<void> {
  const { signal, output } = shell
  for (const { filename, description, bytes } of plan.zips) {
    const bar = output.progress(filename)
    try {
      await pennypost.attachments.upload(post.id, bytes, {
        filename,
        description,
        signal,
        onProgress: ({ stage, sentBytes, totalBytes }) =>
          bar.update(sentBytes, totalBytes, stage === 'sending' ? mebibytes(sentBytes) : 'checking the file'),
      })
    } finally {
      bar.end()
    }
  }
  if (!plan.cover) return
  const { bytes, type } = plan.cover
  await pennypost.images.uploadPreview(post.id, bytes, { type, signal })
  await store.set(coverKey(post), sha256Of(bytes))
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const coverKey = ({ id }: Post): string => `cover ${id}`

/** Images are encoded again by the service, so what was sent is remembered here. */
const isSent = async ({ store }: Pushing, post: Post, { bytes }: LocalCover): Promise<boolean> =>
  post.ogImageUrl !== null && (await store.get(coverKey(post))) === sha256Of(bytes)

/** Remembers a cover that was pulled, so that pushing it back changes nothing. */
export const rememberCover = async ({ store }: Pick<Pushing, 'store'>, post: Post, bytes: Uint8Array): Promise<void> =>
  store.set(coverKey(post), sha256Of(bytes))

async function localCover({ path, facts }: LocalPost): Promise<LocalCover | undefined> {
  const { cover } = facts
  if (cover === undefined || cover === null || cover === '') return undefined
  if (typeof cover !== 'string')
    throw new CliError('failed', 'invalid-front-matter', 'cover in the front matter must be the name of a file.')
  // Other programs have the address of an image here.
  if (/^[a-z][a-z0-9+.-]*:/i.test(cover)) return undefined
  return { name: cover, ...(await readImageFile(await insideFolder(dirname(path), cover), maxCoverBytes)) }
}

interface ZipEntry {
  readonly filename: string
  readonly sha256: string | undefined
  /** Undefined if the file is not here: the service has it. */
  readonly zip: LocalZip | undefined
}

/** The `attachments` of a front matter: names of files, or objects as the export writes them. */
async function localZips({ path, facts }: LocalPost): Promise<ZipEntry[] | undefined> {
  const list = facts.attachments
  if (list === undefined || list === null) return undefined
  if (!Array.isArray(list))
    throw new CliError('failed', 'invalid-front-matter', 'attachments in the front matter must be a list.')
  return Promise.all(
    list.map(async (entry: unknown) => {
      const given = (typeof entry === 'string' ? { file: entry } : (entry ?? {})) as Readonly<Record<string, unknown>>
      const file = typeof given.file === 'string' ? given.file : undefined
      const filename = typeof given.filename === 'string' ? given.filename : file && basename(file)
      if (filename === undefined)
        throw new CliError('failed', 'invalid-front-matter', 'An attachment in the front matter has no file.')
      if (file === undefined) return { filename, sha256: undefined, zip: undefined }
      const found = await insideFolder(dirname(path), file)
      if ((await stat(found)).size > maxZipBytes)
        throw new CliError('failed', 'zip-too-large', `${found} is larger than 10 MiB.`)
      const bytes = new Uint8Array(await readFile(found))
      const description = typeof given.description === 'string' ? given.description : ''
      return { filename, sha256: sha256Of(bytes), zip: { filename, description, bytes } }
    }),
  )
}
