import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** What a thread is asked to look for, until somebody sets `stop`. */
export interface Search {
  readonly root: string
  readonly threshold: bigint
  readonly first: bigint
  readonly stop: SharedArrayBuffer
}

type Found = { readonly work: string | undefined } | { readonly error: Error }

/** Proof of work on all cores at low priority, one root at a time. */
export interface WorkThreads {
  generate(root: string, threshold: bigint, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** Threads start with the first search and end when there was none for a while. */
export function createWorkThreads(count = availableParallelism(), idleMs = 30_000): WorkThreads {
  let threads: Promise<Worker[]> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
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
      // Each begins somewhere else; 2^64 nonces are too many to meet.
      const search = (thread: Worker) => ask(thread, { root, threshold, first: randomBytes(8).readBigUInt64LE(), stop })
      const found = await Promise.all((await threads).map(search))
      const work = found.find((each) => each !== undefined)
      if (work !== undefined) return work
      signal.throwIfAborted()
      throw new Error('the search ended without work')
    } catch (error) {
      // A thread that failed is not asked again, nor are those it left searching.
      if (!signal.aborted) await endThreads()
      throw error
    } finally {
      stopNow()
      signal.removeEventListener('abort', stopNow)
    }
  }

  return {
    async generate(root, threshold, signal) {
      clearTimeout(idle)
      waiting += 1
      const either = AbortSignal.any([closed.signal, ...(signal ? [signal] : [])])
      const turn = last.then(() => searchNow(root, threshold, either))
      last = turn.catch(() => undefined)
      try {
        return await turn
      } finally {
        waiting -= 1
        if (waiting === 0) idle = setTimeout(endThreads, idleMs).unref()
      }
    },
    async close() {
      closed.abort(new Error('work is no longer computed'))
      clearTimeout(idle)
      await last
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
