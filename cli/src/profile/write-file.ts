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

/**
 * Creates a folder and those above it that are missing. `recursive` of Node's `mkdir` never ends in a file system that
 * refuses new folders with ENOENT, such as /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await mkdir(path, { mode }).catch(ignoreExisting)
  }
}

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error
}

/** Writes a file that only you can read, in a folder that only you can open. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  await writeWhole(path, content, privateFile)
}

/** A place on the disk for a secret that does not exist yet. */
export interface ReservedFile {
  fill(secret: string): Promise<void>
  discard(): Promise<void>
}

const reservedBytes = 4096

/**
 * Reserves the place of a secret that can be had only once. Its bytes are written before, so that a full disk is noticed
 * before the secret is asked for. With `isNew` a file that is there already is an error (EEXIST); otherwise it is replaced as a whole.
 */
export async function reservePrivate(path: string, { isNew }: { readonly isNew: boolean }): Promise<ReservedFile> {
  if (!isNew) await makeFolder(dirname(path), 0o700)
  const draft = isNew ? path : join(dirname(path), `.${randomUUID()}.tmp`)
  const file = await open(draft, 'wx', privateFile)
  const discard = async () => {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
  }
  try {
    await file.write(' '.repeat(reservedBytes), 0)
    await file.sync()
  } catch (error) {
    await discard()
    throw error
  }
  return {
    discard,
    async fill(secret) {
      const { bytesWritten } = await file.write(secret, 0)
      await file.truncate(bytesWritten)
      await file.sync()
      await file.close()
      if (draft !== path) await rename(draft, path)
    },
  }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
