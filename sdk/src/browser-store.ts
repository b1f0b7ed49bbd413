import type { Store } from './store.ts'

// Browsers have these; the compiler is set up for Node.
interface Database {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: Mode, options: { durability: 'strict' }): Transaction
}
interface Transaction {
  readonly error: unknown
  objectStore(name: string): Values
  oncomplete: () => void
  onabort: () => void
}
interface Values {
  get(key: string): StoreRequest
  put(value: string, key: string): StoreRequest
  delete(key: string): StoreRequest
}
interface StoreRequest<Result = unknown> {
  readonly result: Result
  readonly error: unknown
  onsuccess: () => void
  onerror: () => void
  onupgradeneeded: () => void
}
type Mode = 'readonly' | 'readwrite'

const values = 'values'

/**
 * Keeps everything in IndexedDB, shared by all tabs of the site. Every script of the site can read it. It is not
 * `localStorage`, where a tab may still see the old value after another has changed it.
 */
export function browserStore(name = 'pennypost'): Store {
  let opened: Promise<Database> | undefined
  const run = async (mode: Mode, act: (store: Values) => StoreRequest): Promise<unknown> => {
    opened ??= open(name)
    const database = await opened
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(values, mode, { durability: 'strict' })
      const asked = act(transaction.objectStore(values))
      // Only then is a change on the disk, and visible to other tabs.
      transaction.oncomplete = () => resolve(asked.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }
  return {
    get: (key) => run('readonly', (store) => store.get(key)) as Promise<string | undefined>,
    set: (key, value) => run('readwrite', (store) => store.put(value, key)) as Promise<void>,
    delete: (key) => run('readwrite', (store) => store.delete(key)) as Promise<void>,
  }
}

function open(name: string): Promise<Database> {
  const { indexedDB } = globalThis as unknown as {
    indexedDB: { open(name: string, version: number): StoreRequest<Database> }
  }
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(name, 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore(values)
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })
}
