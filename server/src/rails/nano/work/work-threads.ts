import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** What a thread searches for, until `stop` is set. */
export interface Search {
  readonly root: string
  readonly threshold: bigint
  readonly first: bigint
  readonly stop: SharedArrayBuffer
}

type Found = { readonly work: string | undefined } | { readonly error: Error }

export interface WorkOptions {
  readonly signal?: AbortSignal
  /** Nobody waits for it yet: it gives way to work that somebody waits for. */
  readonly isAhead?: true
}

/** Proof of work on all cores at low priority, one root at a time, in order. */
export interface WorkThreads {
  generate(root: string, threshold: bigint, options?: WorkOptions): Promise<string>
  close(): Promise<void>
}

interface Wish extends WorkOptions {
  readonly root: string
  readonly threshold: bigint
  resolve(work: string): void
  reject(cause: unknown): void
}

/** Threads start with the first search and end after an idle while. */
export function createWorkThreads(count = availableParallelism(), idleMs = 30_000): WorkThreads {
  let threads: Promise<Worker[]> | undefined
  const wanted: Wish[] = []
  const wantedAhead: Wish[] = []
  let makeWay: (() => void) | undefined
  let working: Promise<void> | undefined
  let idle: NodeJS.Timeout | undefined
  const closed = new AbortController()

  async function endThreads(): Promise<void> {
    const ending = threads
    threads = undefined
    for (const thread of (await ending?.catch(() => [])) ?? []) await thread.terminate()
  }

  async function searchNow(root: string, threshold: bigint, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    threads ??= Promise.all(Array.from({ length: count }, startThread))
    const stop = new SharedArrayBuffer(4)
    const stopNow = () => Atomics.store(new Int32Array(stop), 0, 1)
    signal.addEventListener('abort', stopNow)
    try {
      // Each thread starts at a random nonce; 2^64 nonces are too many to overlap.
      const search = (thread: Worker) => ask(thread, { root, threshold, first: randomBytes(8).readBigUInt64LE(), stop })
      const found = await Promise.all((await threads).map(search))
      const work = found.find((each) => each !== undefined)
      if (work !== undefined) return work
      signal.throwIfAborted()
      throw new Error('the search ended without work')
    } catch (error) {
      // A thread that failed is not used again, nor are those that were searching with it.
      if (!signal.aborted) await endThreads()
      throw error
    } finally {
      stopNow()
      signal.removeEventListener('abort', stopNow)
    }
  }

  async function workOff(): Promise<void> {
    for (let wish = wanted.shift() ?? wantedAhead.shift(); wish; wish = wanted.shift() ?? wantedAhead.shift()) {
      const inTheWay = new AbortController()
      if (wish.isAhead) makeWay = () => inTheWay.abort()
      const ends = [closed.signal, ...(wish.signal ? [wish.signal] : [])]
      try {
        wish.resolve(await searchNow(wish.root, wish.threshold, AbortSignal.any([inTheWay.signal, ...ends])))
      } catch (error) {
        // Every nonce is equally likely, so a search that starts again later has lost nothing.
        if (inTheWay.signal.aborted && !ends.some(({ aborted }) => aborted)) wantedAhead.unshift(wish)
        else wish.reject(error)
      }
      makeWay = undefined
    }
    working = undefined
    idle = setTimeout(endThreads, idleMs).unref()
  }

  return {
    generate(root, threshold, options = {}) {
      clearTimeout(idle)
      const found = new Promise<string>((resolve, reject) => {
        const wish = { root, threshold, resolve, reject, ...options }
        if (options.isAhead) wantedAhead.push(wish)
        else wanted.push(wish)
      })
      if (!options.isAhead) makeWay?.()
      working ??= workOff()
      return found
    },
    async close() {
      closed.abort(new Error('work is no longer computed'))
      await working
      clearTimeout(idle)
      await endThreads()
    },
  }
}

async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./work-thread.js', import.meta.url))
  await once(thread, 'message')
  // An idle thread does not keep the process alive.
  thread.unref()
  return thread
}

function ask(thread: Worker, search: Search): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref()
      act()
    }
    const onMessage = (found: Found) => settle(() => ('error' in found ? reject(found.error) : resolve(found.work)))
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('a work thread ended')))
    thread.on('message', onMessage).on('error', onError).on('exit', onExit).ref()
    thread.postMessage(search)
  })
}
