import { openAsBlob } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, resolve, sep } from 'node:path'
import { type LocalFile, ToolError } from './tool.ts'

/**
 * Opens files for uploads, but only regular ones below folders that the user allowed. Links are followed first, so a link
 * inside leads nowhere outside. A text that an agent has read may ask it to upload `~/.ssh/id_ed25519` as an image.
 */
export function localFiles(allowedFolders: readonly string[], maxBytes: number): (path: string) => Promise<LocalFile> {
  const folders = Promise.all(allowedFolders.map((folder) => realpath(folder)))
  return async (path) => {
    const allowed = await folders
    const candidates = isAbsolute(path) ? [path] : allowed.map((folder) => resolve(folder, path))
    for (const candidate of candidates) {
      const real = await realpath(candidate).catch(() => undefined)
      if (real === undefined || !allowed.some((folder) => isBelow(folder, real))) continue
      const found = await stat(real)
      if (!found.isFile()) throw new ToolError('Only regular files can be uploaded.')
      if (found.size > maxBytes) throw new ToolError(`The file has more than ${maxBytes} bytes.`)
      return { name: basename(candidate), blob: await openAsBlob(real) }
    }
    // The same reply for a file that is missing and one that is elsewhere.
    throw new ToolError('There is no such file in the folders that the user allowed.')
  }
}

const isBelow = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
