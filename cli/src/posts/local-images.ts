import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { imageType } from '@pennypost/transfer/image-type'
import { replaceImages } from '@pennypost/transfer/markdown-images'
import { CliError } from '../frame/cli-error.ts'
import { insideFolder, type LocalPost } from './local-post.ts'

const maxInlineBytes = 5 * 1024 * 1024

export interface LocalImage {
  readonly key: string
  /** The name in the text. */
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
}

export interface SentText {
  readonly free: string
  readonly paid: string | undefined
  readonly images: readonly LocalImage[]
}

/**
 * The text of a post with `image:KEY` in place of the files that it shows. The key is made of the bytes, so the same image
 * is uploaded once, and a changed one is another. Images that were pulled keep the key that they had.
 */
export async function hostLocalImages(post: LocalPost): Promise<SentText> {
  const folder = dirname(post.path)
  const pulled = pulledImages(post.facts.images)
  const names = new Set<string>()
  const collect = (address: string): undefined => {
    if (isLocal(address)) names.add(address)
  }
  for (const text of [post.free, post.paid ?? '']) replaceImages(text, collect)
  const images = new Map<string, LocalImage>()
  for (const name of names) images.set(name, await readImage(folder, name, pulled))
  const keyOf = (address: string) => images.get(address)?.key
  return {
    free: replaceImages(post.free, keyOf),
    paid: post.paid === undefined ? undefined : replaceImages(post.paid, keyOf),
    images: [...new Map([...images.values()].map((image) => [image.key, image])).values()],
  }
}

/** Whether this is a path next to the file, rather than a URL, an anchor or an image that the service already has. */
const isLocal = (address: string): boolean => address !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)

async function readImage(
  folder: string,
  name: string,
  pulled: Map<string, { key: string; sha256: string }>,
): Promise<LocalImage> {
  const path = await insideFolder(folder, decoded(name))
  const bytes = await readImageFile(path, maxInlineBytes)
  const sha256 = createHash('sha256').update(bytes.bytes).digest('hex')
  const known = pulled.get(decoded(name))
  const word = basename(name, extname(name))
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
  const key = known?.sha256 === sha256 ? known.key : `${word || 'image'}-${sha256.slice(0, 16)}`
  return { key, name, ...bytes }
}

/** Reads an image, and finds out what it is by its bytes. */
export async function readImageFile(path: string, maxBytes: number): Promise<Pick<LocalImage, 'bytes' | 'type'>> {
  if ((await stat(path)).size > maxBytes)
    throw new CliError('failed', 'image-too-large', `${path} is larger than ${maxBytes / 1024 / 1024} MiB.`)
  const bytes = new Uint8Array(await readFile(path))
  const type = imageType(bytes)
  if (type === undefined) throw new CliError('failed', 'not-an-image', `${path} is not a PNG, JPEG, WebP or GIF image.`)
  return { bytes, type }
}

function decoded(name: string): string {
  const path = name.replace(/[?#].*$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The images that a pull recorded: the key of each file, and the hash of its content. */
function pulledImages(list: unknown): Map<string, { key: string; sha256: string }> {
  const entries = (Array.isArray(list) ? list : []) as { file?: unknown; key?: unknown; sha256?: unknown }[]
  return new Map(
    entries.flatMap(({ file, key, sha256 } = {}) =>
      typeof file === 'string' && typeof key === 'string' && typeof sha256 === 'string' && /^[\w-]{1,64}$/.test(key)
        ? [[file, { key, sha256 }] as const]
        : [],
    ),
  )
}
