import { Worker } from 'node:worker_threads'
import type { Part } from './post-env.ts'
import type { Rendered } from './render.ts'

/** The Markdown took more time or memory than one Post may have. */
export class MarkdownTooComplex extends Error {
  override name = 'MarkdownTooComplex'
}

export interface Renderer {
  render(markdown: string, part?: Part): Promise<Rendered>
  /** Waits for what was asked before, and refuses what is asked after. */
  close(): Promise<void>
}

type WorkerMessage = 'ready' | { rendered: Rendered } | { error: unknown }

/** Renders in a thread of its own, one Post at a time, so that no Post can hold up the requests of others. */
export function createRenderer(limitMs = 2000): Renderer {
  let worker: Promise<Worker> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  async function renderNow(markdown: string, part: Part): Promise<Rendered> {
    worker ??= startWorker()
    try {
      return await ask(await worker, { markdown, part }, limitMs)
    } catch (error) {
      // Whatever went wrong, the next Post gets a thread that has seen nothing.
      const failed = worker
      worker = undefined
      await failed.then((thread) => thread.terminate()).catch(() => undefined)
      throw error
    }
  }

  return {
    render(markdown, part = 'free') {
      if (isClosed) return Promise.reject(new Error('The renderer is closed.'))
      // The limit counts from the Post's own turn: waiting behind another is not its fault.
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
    // Thousands of short-lived tokens: a roomy nursery saves a fifth of the time of the worst Posts.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 128 },
  })
  await nextMessage(worker)
  // An idle renderer does not keep the process alive.
  worker.unref()
  return worker
}

async function ask(worker: Worker, question: { markdown: string; part: Part }, limitMs: number): Promise<Rendered> {
  worker.ref()
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new MarkdownTooComplex(`Rendering took longer than ${limitMs} ms.`)), limitMs)
  })
  try {
    const answer = nextMessage(worker)
    worker.postMessage(question)
    const message = await Promise.race([answer, limit])
    if (message === 'ready') throw new Error('The render worker answered out of turn.')
    if ('error' in message) throw message.error
    return message.rendered
  } finally {
    clearTimeout(timer)
    worker.unref()
  }
}

function nextMessage(worker: Worker): Promise<WorkerMessage> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      act()
    }
    const onMessage = (answer: WorkerMessage) => settle(() => resolve(answer))
    const onError = (error: NodeJS.ErrnoException) =>
      settle(() =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new MarkdownTooComplex('Rendering ran out of memory.') : error,
        ),
      )
    const onExit = () => settle(() => reject(new Error('The render worker ended.')))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
