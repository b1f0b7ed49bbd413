import { open, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type ArchiveFiles, openArchiveFiles } from './archive-files.ts'
import { ghostData, maxJsonBytes, parseJson, readGhost } from './read-ghost.ts'
import { isMarkdownFile, readMarkdown } from './read-markdown.ts'
import { isMediumFile, readMedium } from './read-medium.ts'
import { isPennypostExport, readPennypost } from './read-pennypost.ts'
import { readSubstack } from './read-substack.ts'
import { readWordpress } from './read-wordpress.ts'
import { type Archive, ArchiveError } from './source.ts'

export interface ReadOptions {
  /** The address of the old site, such as `https://blog.example`: for images and links without it. */
  readonly siteUrl?: string
}

/**
 * Opens an export of Ghost, WordPress, Substack, Medium or Pennypost, or a folder of Markdown, and finds out which it is.
 * @example const archive = await readArchive('ghost-export.json', { siteUrl: 'https://blog.example' })
 */
export async function readArchive(path: string, options: ReadOptions = {}): Promise<Archive> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new ArchiveError(`${path} does not exist.`)
  if (!found.isDirectory() && /\.xml$/i.test(path)) return readWordpress(path)
  if (!found.isDirectory() && /\.json$/i.test(path)) return readGhost(await singleFile(path), basename(path), options)
  const files = await openArchiveFiles(path)
  try {
    return await detect(files, options)
  } catch (error) {
    await files.close()
    throw error
  }
}

async function detect(files: ArchiveFiles, options: ReadOptions): Promise<Archive> {
  if (await isPennypostExport(files)) return readPennypost(files)
  const csv = files.names.find((name) => /^(?:[^/]+\/)?posts\.csv$/.test(name))
  if (csv !== undefined) return readSubstack(files, csv)
  const json = files.names.filter((name) => /^(?:[^/]+\/)?(?:data\/)?[^/]+\.json$/.test(name))
  for (const name of json.slice(0, 20)) {
    const text = await files.readText(name, maxJsonBytes)
    if (/"posts"/.test(text.slice(0, 1_000_000)) && ghostData(parseJson(text))) return readGhost(files, name, options)
  }
  if (files.names.some(isMarkdownFile)) return readMarkdown(files, options)
  if (files.names.some(isMediumFile)) return readMedium(files)
  if (files.names.some((name) => name.endsWith('.xml')))
    throw new ArchiveError('Unpack the ZIP file of WordPress first, and give the XML file inside.')
  throw new ArchiveError(
    'This is neither an export of Ghost, WordPress, Substack, Medium or Pennypost nor a folder of Markdown.',
  )
}

/** A file alone: nothing beside it is read, because it could be anyone's folder. */
async function singleFile(path: string): Promise<ArchiveFiles> {
  const name = basename(path)
  const read = async (wanted: string, maxBytes: number): Promise<Uint8Array> => {
    if (wanted !== name) throw new ArchiveError(`${wanted} is not in the archive.`)
    const file = await open(`${dirname(path)}/${name}`, 'r')
    try {
      if ((await file.stat()).size > maxBytes) throw new ArchiveError(`${name} is larger than ${maxBytes} bytes.`)
      return await file.readFile()
    } finally {
      await file.close()
    }
  }
  return {
    names: [name],
    has: (wanted) => wanted === name,
    read,
    readText: async (wanted, maxBytes) =>
      Buffer.from(await read(wanted, maxBytes))
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    close: async () => {},
  }
}
