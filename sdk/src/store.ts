import { PennypostError } from './errors.ts'

/**
 * Where the client keeps what must outlive a crash: session tokens, signed payments, what was spent. Values are secrets.
 * Every method may be asynchronous. `set` must not return before the value is safe.
 */
export interface Store {
  get(key: string): string | undefined | Promise<string | undefined>
  set(key: string, value: string): void | Promise<void>
  delete(key: string): void | Promise<void>
  /**
   * Runs one function at a time for each name, across everything that shares this store. Needed only for a store that
   * several processes share: within one process, and between the tabs of a browser, the client has its own locks.
   */
  lock?<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** Keeps everything until the program ends. The default. */
export function memoryStore(): Store {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
  }
}

interface LockManager {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

const queues = new WeakMap<Store, Map<string, Promise<unknown>>>()

/**
 * Runs one function at a time for each name and store: in this process, and in a browser in all tabs of the site. Without
 * it, two requests with an expired token would refresh twice, and two payments would each fit a limit that both exceed.
 */
export function withLock<Result>(store: Store, name: string, work: () => Promise<Result>): Promise<Result> {
  const shared = store.lock
    ? () => store.lock!(name, work)
    : locks
      ? () => locks.request(`pennypost:${name}`, work)
      : work
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>()
  queues.set(store, queue)
  const turn = (queue.get(name) ?? Promise.resolve()).then(shared)
  const settled = turn.catch(() => {})
  queue.set(name, settled)
  void settled.then(() => {
    if (queue.get(name) === settled) queue.delete(name)
  })
  return turn
}

const { navigator, process } = globalThis as unknown as {
  navigator?: { locks?: LockManager }
  process?: { versions?: { node?: string } }
}
// Node has them too, but only for its own process.
const locks = process?.versions?.node === undefined ? navigator?.locks : undefined

/** Reads a value that was saved as JSON. A damaged one does not count as missing: it may be a payment, or what was spent. */
export async function readJson<Value>(store: Store, key: string): Promise<Value | undefined> {
  const text = await store.get(key)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as Value
  } catch (cause) {
    const detail = `The value of ${key} in the store is damaged. Restore it, or delete it if you can do without it.`
    throw new PennypostError({ code: 'store-damaged', detail, details: { key }, cause })
  }
}

export const writeJson = async (store: Store, key: string, value: unknown): Promise<void> =>
  store.set(key, JSON.stringify(value))
