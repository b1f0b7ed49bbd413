import type { FileStore } from './file-store.ts'

/**
 * Lists the keys of objects older than `ageMs`, a few hundred at a time. Uses the system time, not the service's clock,
 * because file times are system times and the clock may have been moved.
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
