import { deepEqual, equal, ok } from 'node:assert/strict'
import type { FileStore } from './file-store.ts'

/** Stores more objects than one page of a listing has, and lists them. */
export async function listsMany(store: FileStore): Promise<void> {
  deepEqual(await listed(store, ''), [])
  const keys = Array.from({ length: 1100 }, (_, i) => `images/of-${i % 3}/${i}`)
  for (let at = 0; at < keys.length; at += 50) {
    await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, bytes('x'))))
  }
  await store.put('zips/one', bytes('four'))
  await store.verify()
  deepEqual(await listed(store, 'images/'), keys.map((key) => `${key} 1`).sort())
  deepEqual(await listed(store, 'zips/'), ['zips/one 4'])
  equal((await listed(store, '')).length, 1101)
  for await (const { modifiedAt } of store.list('zips/')) ok(modifiedAt instanceof Date)
}

export async function listed(store: FileStore, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key, sizeBytes } of store.list(prefix)) found.push(`${key} ${sizeBytes}`)
  return found.sort()
}

export async function* bytes(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}
