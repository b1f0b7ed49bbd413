import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ArchiveError } from './source.ts'
import { openZip } from './zip-reader.ts'

/** The files of an archive, whether it is a folder or a ZIP. Paths have slashes and never lead out of it. */
export interface ArchiveFiles {
  readonly names: readonly string[]
  has(name: string): boolean
  read(name: string, maxBytes: number): Promise<Uint8Array>
  readText(name: string, maxBytes: number): Promise<string>
  close(): Promise<void>
}

const maxFiles = 200_000
const maxDepth = 30

export async function openArchiveFiles(path: string): Promise<ArchiveFiles> {
  const found = (await stat(path)).isDirectory() ? await openFolder(path) : await openZip(path)
  const names = new Set(found.names)
  return {
    ...found,
    has: (name) => names.has(name),
    async readText(name, maxBytes) {
      // The byte order mark that Windows adds is not part of the text.
      return Buffer.from(await found.read(name, maxBytes))
        .toString('utf8')
        .replace(/^\uFEFF/, '')
    },
  }
}

async function openFolder(given: string) {
  const root = await realpath(given)
  const names: string[] = []
  const look = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules'
      // Links could lead anywhere, so only real files count.
      if (entry.isDirectory() && !isHidden && depth < maxDepth) await look(path, depth + 1)
      else if (entry.isFile() && !isHidden) names.push(relative(root, path).split(sep).join('/'))
      if (names.length > maxFiles) throw new ArchiveError(`The folder has more than ${maxFiles} files.`)
    }
  }
  await look(root, 0)
  const known = new Set(names)
  return {
    names: names.sort(),
    async read(name: string, maxBytes: number): Promise<Uint8Array> {
      const path = join(root, name)
      if (!known.has(name) || !(await lstat(path)).isFile()) throw new ArchiveError(`${name} is not in the folder.`)
      if ((await stat(path)).size > maxBytes) throw new ArchiveError(`${name} is larger than ${maxBytes} bytes.`)
      return readFile(path)
    },
    close: async () => {},
  }
}
