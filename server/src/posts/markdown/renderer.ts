import { Worker } from 'node:worker_threads'
import type { Part } from './post-env.ts'
import type { Rendered } from './render.ts'

/** Rendering the Markdown took too much time or memory. */
export class MarkdownTooComplex extends Error {
  override name = 'MarkdownTooComplex'
}

export interface Renderer {
  render(markdown: string, part?: Part): Promise<Rendered>
  /** Waits for renders that have been requested, and rejects later ones. */
  close(): Promise<void>
}

type WorkerMessage = 'ready' | { rendered: Rendered } | { error: unknown }

/** Renders in a worker thread, one text at a time, so that a slow one does not block other requests. */
export function createRenderer(limitMs = 2000): Renderer {
  let worker: Promise<Worker> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  async function renderNow(markdown: string, part: Part): Promise<Rendered> {
    worker ??= startWorker()
    try {
      return await renderIn(await worker, { markdown, part }, limitMs)
    } catch (error) {
      // After any error the next render gets a fresh thread.
      const failed = worker
      worker = undefined
      await failed.then((thread) => thread.terminate()).catch(() => undefined)
      throw error
    }
  }

  return {
    render(markdown, part = 'free') {
      if (isClosed) return Promise.reject(new Error('The renderer is closed.'))
      // The time limit does not include waiting for earlier renders.
      const turn = last.then(() => renderNow(markdown, part))
      last = turn.catch(() => undefined)
      return turn
    },
    async close() {
      isClosed = true
      await last
      await (await worker?.catch(() => undefined))?.terminate()
    },
  }
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./render-worker.js', import.meta.url), {
    // Rendering creates thousands of short-lived tokens; a large young generation saves a fifth of the time in the
    // worst case.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 128 },
  })
  await nextMessage(worker)
  // An idle worker must not keep the process alive.
  worker.unref()
  return worker
}

async function renderIn(worker: Worker, input: { markdown: string; part: Part }, limitMs: number): Promise<Rendered> {
  worker.ref()
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MarkdownTooComplex(`Rendering took longer than ${limitMs} ms.`)), limitMs)
  })
  try {
    const reply = nextMessage(worker)
    worker.postMessage(input)
    const message = await Promise.race([reply, limit])
    if (message === 'ready') throw new Error('The render worker sent an unexpected message.')
    if ('error' in message) throw message.error
    return message.rendered
  } finally {
    clearTimeout(timer)
    worker.unref()
  }
}

function nextMessage(worker: Worker): Promise<WorkerMessage> {
  return new Promise((resolve, reject) => {
    const stopListening = () => worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    const onMessage = (message: WorkerMessage) => {
      stopListening()
      resolve(message)
    }
    const onError = (error: NodeJS.ErrnoException) => {
      stopListening()
      const isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isOutOfMemory ? new MarkdownTooComplex('Rendering ran out of memory.') : error)
    }
    const onExit = () => {
      stopListening()
      reject(new Error('The render worker exited.'))
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
