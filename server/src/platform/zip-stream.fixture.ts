import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type ZipEntry, zipStream } from './zip-stream.ts'

export const run = promisify(execFile)
export const skip = spawnSync('unzip', ['-v']).error && 'unzip is not installed'
// Otherwise unzip replaces what is not ASCII in names.
export const options = { env: { PATH: '/usr/bin:/bin:/usr/local/bin', LC_ALL: 'C.UTF-8' } }
export const modifiedAt = new Date('2026-02-14T10:30:42Z')

export async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

export const text = (name: string, ...content: (string | Uint8Array)[]): ZipEntry => ({
  name,
  modifiedAt,
  content: each(content),
})

export async function writtenTo(
  t: TestContext,
  entries: AsyncIterable<ZipEntry>,
): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-zip-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'made.zip')
  await writeFile(path, zipStream(entries))
  return { folder, path }
}
