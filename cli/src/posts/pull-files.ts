import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { safeName } from '@pennypost/contract/safe-name'
import type { ImageOperation, Post } from '@pennypost/sdk'
import { outsideCode, replaceImages } from '@pennypost/transfer/markdown-images'
import type { Shell } from '../frame/command.ts'
import type { Client } from '../profile/client.ts'
import { makeFolder, writeWhole } from '../profile/write-file.ts'
import { attachmentNames } from '../reading/attachment-names.ts'
import { readDownload } from '../reading/download.ts'
import type { Facts } from './post-fields.ts'
import { rememberCover } from './post-files.ts'

export interface PulledFiles {
  readonly facts: Facts
  /** The text, with files in place of `image:KEY`. */
  readonly free: string
  readonly paid: string
}

const maxBytes = 32 * 1024 * 1024

/** Writes the images, the cover and the ZIP files of a post into a folder beside its file. */
export async function pullFiles(shell: Shell, client: Client, post: Post, path: string): Promise<PulledFiles> {
  const name = `${safeName(basename(path).replace(/\.md$/i, ''))}.files`
  const folder = join(dirname(path), name)
  const write = async (file: string, bytes: Uint8Array): Promise<string> => {
    await makeFolder(folder)
    await writeWhole(join(folder, file), bytes)
    return `${name}/${file}`
  }
  const texts = [post.freeContentMarkdown, post.paidContentMarkdown]
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/image:([\w-]{1,64})/g)].map(([, key]) => key!)))
  const images: { file: string; key: string; sha256: string }[] = []
  let cover: string | undefined
  const bar = shell.output.progress('Files')
  try {
    for await (const operation of client.pennypost.images.list({ postId: post.id }, { signal: shell.signal })) {
      const { eligible, targetKind, targetKey } = operation.safety
      const isCover = targetKind === 'og' && post.ogImageUrl !== null && cover === undefined
      const isUsed = targetKind === 'inline' && used.has(targetKey) && !images.some(({ key }) => key === targetKey)
      if (!eligible || operation.publicUrl === null || !(isCover || isUsed)) continue
      bar.update(images.length, used.size, targetKey)
      const { bytes, extension } = await readImage(shell, client, operation)
      if (isCover) {
        cover = await write(`cover.${extension}`, bytes)
        await rememberCover(client, post, bytes)
      } else {
        const file = await write(`${targetKey}.${extension}`, bytes)
        images.push({ file, key: targetKey, sha256: createHash('sha256').update(bytes).digest('hex') })
      }
    }
    const attachments: object[] = []
    const names = attachmentNames(post.attachments)
    for (const [index, { id, filename, description, sha256 }] of post.attachments.entries()) {
      const download = await client.pennypost.attachments.download(post.id, id, { signal: shell.signal })
      const file = await write(names[index]!, await readDownload(download, maxBytes, shell.signal))
      attachments.push({ file, filename, description, sha256 })
    }
    const [free, paid] = texts.map((text) => withFiles(text, images)) as [string, string]
    const isShown = free !== post.freeContentMarkdown || paid !== post.paidContentMarkdown
    const facts = {
      ...(cover !== undefined && { cover }),
      ...(isShown && { images }),
      ...(attachments.length > 0 && { attachments }),
    }
    return { facts, free, paid }
  } finally {
    bar.end()
  }
}

async function readImage({ signal }: Shell, { pennypost }: Client, { publicUrl }: ImageOperation) {
  const [, file = ''] = /\/([^/?#]+)$/.exec(new URL(publicUrl!, 'https://host.invalid').pathname) ?? []
  const download = await pennypost.operations.getMedia.download({ params: { file } }, { signal })
  const [, extension = 'bin'] = /\.([a-z0-9]{1,5})$/.exec(file) ?? []
  return { bytes: await readDownload(download, maxBytes, signal), extension }
}

/** The text with files, if pushing it gives the same text again. Otherwise it is left as it is. */
function withFiles(text: string, images: readonly { file: string; key: string }[]): string {
  const fileOf = new Map(images.map(({ file, key }) => [key, file.split('/').map(encoded).join('/')]))
  const changed = outsideCode(text, (part) =>
    part.replaceAll(/(!\[(?:\\.|[^\]\\])*\]\()image:([\w-]{1,64})(?=[\s)])/g, (whole, start: string, key: string) =>
      fileOf.has(key) ? `${start}${fileOf.get(key)}` : whole,
    ),
  )
  const keyOf = new Map([...fileOf].map(([key, file]) => [file, key]))
  return replaceImages(changed, (address) => keyOf.get(address)) === text ? changed : text
}

const encoded = (part: string): string =>
  encodeURIComponent(part).replaceAll(/[()!'*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
