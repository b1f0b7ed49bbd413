import type { FileStore } from './file-store.ts'

/**
 * Keys of objects that were written so long ago, a few hundred at a time. The age is that of the machine that keeps
 * them: a clock that development moved says nothing about when a file was written.
 */
export async function* oldObjects(files: FileStore, prefix: string, ageMs: number): AsyncIterable<string[]> {
  let keys: string[] = []
  for await (const { key, modifiedAt } of files.list(prefix)) {
    if (Date.now() - modifiedAt.getTime() < ageMs) continue
    keys.push(key)
    if (keys.length < 500) continue
    yield keys
    keys = []
  }
  if (keys.length > 0) yield keys
}
