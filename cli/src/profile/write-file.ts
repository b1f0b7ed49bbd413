import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const privateFile = 0o600

/** Replaces a file as a whole: a crash, or Ctrl-C, leaves the old one or the new one. */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  // Without the name of the file, which may be as long as a name can be.
  const draft = join(dirname(path), `.${randomUUID()}.tmp`)
  const file = await open(draft, 'wx', mode)
  try {
    await file.writeFile(content)
    await file.sync()
  } catch (error) {
    await file.close()
    await rm(draft, { force: true })
    throw error
  }
  await file.close()
  await rename(draft, path)
}

/** Writes a file that only you can read, in a folder that only you can open. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeWhole(path, content, privateFile)
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
