import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** One search, as sent to a thread. The thread stops when `stop` is set. */
export interface Search {
  readonly root: string
  readonly threshold: bigint
  readonly first: bigint
  readonly stop: SharedArrayBuffer
}

type Found = { readonly work: string | undefined } | { readonly error: Error }

export interface WorkOptions {
  readonly signal?: AbortSignal
  /** Computed in advance. It is interrupted when work for a waiting request comes in. */
  readonly isAhead?: true
}

/** Proof of work on all cores at low priority, one root at a time, in order. */
export interface WorkThreads {
  generate(root: string, threshold: bigint, options?: WorkOptions): Promise<string>
  close(): Promise<void>
}

interface WorkRequest extends WorkOptions {
  readonly root: string
  readonly threshold: bigint
  resolve(work: string): void
  reject(cause: unknown): void
}

/** The threads start with the first search and end when there has been nothing to do for a while. */
export function createWorkThreads(count = availableParallelism(), idleMs = 30_000): WorkThreads {
  let threads: Promise<Worker[]> | undefined
  const queue: WorkRequest[] = []
  const queueAhead: WorkRequest[] = []
  let preempt: (() => void) | undefined
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
      const searchOn = (thread: Worker) =>
        search(thread, { root, threshold, first: randomBytes(8).readBigUInt64LE(), stop })
      const found = await Promise.all((await threads).map(searchOn))
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

  async function runQueue(): Promise<void> {
    for (let request = queue.shift() ?? queueAhead.shift(); request; request = queue.shift() ?? queueAhead.shift()) {
      const preempted = new AbortController()
      if (request.isAhead) preempt = () => preempted.abort()
      const ends = [closed.signal, ...(request.signal ? [request.signal] : [])]
      try {
        request.resolve(await searchNow(request.root, request.threshold, AbortSignal.any([preempted.signal, ...ends])))
      } catch (error) {
        // Every nonce is equally likely, so a search that starts again later has lost nothing.
        if (preempted.signal.aborted && !ends.some(({ aborted }) => aborted)) queueAhead.unshift(request)
        else request.reject(error)
      }
      preempt = undefined
    }
    working = undefined
    idle = setTimeout(endThreads, idleMs).unref()
  }

  return {
    generate(root, threshold, options = {}) {
      clearTimeout(idle)
      const found = new Promise<string>((resolve, reject) => {
        const request = { root, threshold, resolve, reject, ...options }
        if (options.isAhead) queueAhead.push(request)
        else queue.push(request)
      })
      if (!options.isAhead) preempt?.()
      working ??= runQueue()
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

function search(thread: Worker, task: Search): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const finish = (act: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit).unref()
      act()
    }
    const onMessage = (found: Found) => finish(() => ('error' in found ? reject(found.error) : resolve(found.work)))
    const onError = (error: Error) => finish(() => reject(error))
    const onExit = () => finish(() => reject(new Error('a work thread ended')))
    thread.on('message', onMessage).on('error', onError).on('exit', onExit).ref()
    thread.postMessage(task)
  })
}
