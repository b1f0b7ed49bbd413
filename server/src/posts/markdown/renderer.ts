import { Worker } from 'node:worker_threads'
import { fairQueue } from '../../platform/fair-queue.ts'
import { limitWork, MachineBusy, processorTimeMs } from '../../platform/work-limit.ts'
import { hasTooManyListItems } from './list-items.ts'
import type { Rendered, RenderOptions } from './render.ts'

/** Rendering the Markdown took too much processor time or memory. */
export class MarkdownTooComplex extends Error {
  override name = 'MarkdownTooComplex'
}

/** The text was not rendered, because nobody was waiting for it any longer when its turn came. */
export class NobodyWaits extends Error {
  override name = 'NobodyWaits'
}

/** The account for which a text is rendered. Accounts of one network share a turn, however many they are. */
export interface Sender {
  readonly accountId: string
  readonly network: string
}

export interface Renderer {
  /**
   * Renders a part of a post. Rejects with `MarkdownTooComplex`, with `QueueFull` if too much is waiting, with `NobodyWaits`, or
   * with `MachineBusy`.
   */
  render(markdown: string, options?: RenderOptions, sender?: Sender, isWanted?: () => boolean): Promise<Rendered>
  /** Waits for renders that have been requested, and rejects later ones. */
  close(): Promise<void>
}

/** A part of the service itself, which is in no network. */
export const ownSender = (name: string): Sender => ({ accountId: name, network: name })

interface RenderInput {
  readonly markdown: string
  readonly options: RenderOptions
}

type WorkerMessage = { ready: number | undefined } | { rendered: Rendered } | { error: unknown }

interface RenderThread {
  readonly worker: Worker
  /** The thread id in the system. Undefined where there is none. */
  readonly number: number | undefined
}

// In characters. A text has at most 200,000. All accounts together may have 200 of the longest waiting, and one account ten, which
// is about twenty seconds of processor time.
const maxWaiting = 40_000_000
const maxWaitingOfAccount = 2_000_000
/** The limit by the clock. On a busy machine, a text that takes two seconds of processor time takes longer. */
const maxRenderMs = 30_000

/**
 * Renders in a worker thread, one text at a time, so that a slow one does not block other requests. Networks take turns, and
 * the accounts of each, so that one with many slow texts does not delay the others.
 */
export function createRenderer(limitMs = 2000): Renderer {
  const queue = fairQueue({ slots: 1, maxSize: maxWaiting, maxSizeOfOwner: maxWaitingOfAccount })
  let thread: Promise<RenderThread> | undefined
  let isClosed = false

  async function renderNow(input: RenderInput): Promise<Rendered> {
    thread ??= startThread()
    try {
      return await renderIn(await thread, input, limitMs)
    } catch (error) {
      // After any error the next render gets a fresh thread.
      const failed = thread
      thread = undefined
      await failed.then(({ worker }) => worker.terminate()).catch(() => undefined)
      throw error
    }
  }

  return {
    render(markdown, options = {}, sender = ownSender(''), isWanted = () => true) {
      if (isClosed) return Promise.reject(new Error('The renderer is closed.'))
      if (hasTooManyListItems(markdown)) return Promise.reject(new MarkdownTooComplex('Too many list items.'))
      // The time limit does not include waiting for other renders.
      const task = () => (isWanted() ? renderNow({ markdown, options }) : Promise.reject(new NobodyWaits()))
      return queue.run(sender.accountId, markdown.length + (options.other ?? '').length, task, sender.network)
    },
    async close() {
      isClosed = true
      await queue.idle()
      await (await thread?.catch(() => undefined))?.worker.terminate()
    },
  }
}

async function startThread(): Promise<RenderThread> {
  const worker = new Worker(new URL('./render-worker.js', import.meta.url), {
    // Rendering creates thousands of short-lived tokens; a large young generation saves a fifth of the time in the
    // worst case.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 128 },
  })
  const message = await nextMessage(worker)
  if (!('ready' in message)) throw new Error('The render worker sent an unexpected message.')
  // An idle worker must not keep the process alive.
  worker.unref()
  return { worker, number: message.ready }
}

async function renderIn({ worker, number }: RenderThread, input: RenderInput, limitMs: number): Promise<Rendered> {
  worker.ref()
  const limit = limitWork({ processorMs: limitMs, clockMs: maxRenderMs }, () =>
    number === undefined ? undefined : processorTimeMs({ thread: number }),
  )
  try {
    const reply = nextMessage(worker)
    worker.postMessage(input)
    const message = await Promise.race([reply, limit.reached])
    if (message === 'limit') throw new MarkdownTooComplex(`Rendering took more than ${limitMs} ms of processor time.`)
    if (message === 'machine-busy') throw new MachineBusy('The render thread hardly got a processor.')
    if ('ready' in message) throw new Error('The render worker sent an unexpected message.')
    if ('error' in message) throw message.error
    return message.rendered
  } finally {
    limit.clear()
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
