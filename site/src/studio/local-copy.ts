import type { Post } from '@pennypost/contract/posts'
import type { Change } from './change.ts'

// Unsaved changes are also kept in this browser, so that they survive a lost connection, a crash of the browser and a dead
// battery. In IndexedDB and not in `localStorage`, which Chromium writes to disk seconds later.

/** The unsaved changes of a post, as this browser keeps them. */
export interface LocalCopy {
  readonly postId: string
  readonly change: Change
  /** The saved values of the changed fields when they were changed. */
  readonly base: Partial<Post>
  /** When it was kept, in milliseconds. */
  readonly at: number
}

const store = 'copies'

let opened: Promise<IDBDatabase> | undefined

const open = (): Promise<IDBDatabase> => {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('drafts', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'postId' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opened
}

/** Runs one request. Without storage (some private windows have none) the editor works on, without copies. */
async function run<T>(
  mode: IDBTransactionMode,
  ask: (copies: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const database = await open()
    return await new Promise((resolve, reject) => {
      // Strict: on disk when it is done.
      const transaction = database.transaction(store, mode, { durability: 'strict' })
      const request = ask(transaction.objectStore(store))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } catch {
    return undefined
  }
}

export const readLocalCopy = (postId: string): Promise<LocalCopy | undefined> =>
  run('readonly', (copies) => copies.get(postId) as IDBRequest<LocalCopy | undefined>)

export const writeLocalCopy = (copy: LocalCopy): Promise<unknown> => run('readwrite', (copies) => copies.put(copy))

export const deleteLocalCopy = (postId: string): Promise<unknown> => run('readwrite', (copies) => copies.delete(postId))

/** How many posts have changes that only this browser has. */
export const countLocalCopies = async (): Promise<number> => (await run('readonly', (copies) => copies.count())) ?? 0

/** Deletes all copies, when this account signs out or another one signs in: that one must not see them. */
export const deleteLocalCopies = (): Promise<unknown> => run('readwrite', (copies) => copies.clear())

type Recovery = 'nothing' | 'apply' | 'conflict'

/** What to do with a copy: nothing if all of it was saved, apply it if the post is as it was, or ask the author. */
export function recoveryOf({ change, base }: LocalCopy, post: Post): Recovery {
  const now: Readonly<Record<string, unknown>> = { ...post, tags: undefined }
  const before: Readonly<Record<string, unknown>> = { ...base, tags: undefined }
  const fields = Object.entries({ ...change, tags: undefined } as Record<string, unknown>)
  if (fields.every(([name, value]) => now[name] === value) && change.tags === undefined) return 'nothing'
  return fields.every(([name, value]) => now[name] === before[name] || now[name] === value) ? 'apply' : 'conflict'
}

/** A post with changes that are not saved yet, as the fields of the editor show it. */
export const withChange = (post: Post, { tags, ...change }: Change): Post => ({
  ...post,
  ...change,
  ...(tags && { tags: tags.map((name) => ({ id: name, profileId: '', name, collectionUrl: '' })) }),
})
