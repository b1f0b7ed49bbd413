import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import type { Log } from '../../platform/log.ts'
import type { DecoderTask } from './decoder-messages.ts'
import { type DecoderProcess, DecoderUnavailable, startDecoderProcess } from './decoder-process.ts'
import type { ImageVerdict, Unavailable, ZipVerdict } from './verdict.ts'

/** A pool of processes that decode untrusted bytes. Each may be killed at any time. */
export interface DecoderPool {
  decode(task: DecoderTask, signal?: AbortSignal): Promise<ImageVerdict | ZipVerdict>
  close(): Promise<void>
}

export interface DecoderLimits {
  readonly processes: number
  /** For one task, without the time it waits for a process. */
  readonly timeMs: number
  /** For one process. */
  readonly memoryBytes: number
  /** How long an idle process is kept. */
  readonly idleMs: number
}

const standardLimits: DecoderLimits = {
  processes: Math.min(2, availableParallelism()),
  timeMs: 90_000,
  memoryBytes: 2_000_000_000,
  idleMs: 30_000,
}

/** Large images are decoded one at a time, because two might not fit into memory. Small images don't wait for them. */
export function createDecoderPool(log: Log, given: Partial<DecoderLimits> = {}): DecoderPool {
  const limits = { ...standardLimits, ...given }
  const limitProcesses = pLimit(limits.processes)
  const limitLarge = pLimit(1)
  const closing = new AbortController()
  const idleDecoders: { decoder: DecoderProcess; idle: NodeJS.Timeout }[] = []

  function acquireDecoder(): DecoderProcess {
    for (let kept = idleDecoders.pop(); kept; kept = idleDecoders.pop()) {
      clearTimeout(kept.idle)
      if (kept.decoder.isReusable()) return kept.decoder
    }
    return startDecoderProcess(limits.memoryBytes)
  }

  async function releaseDecoder(decoder: DecoderProcess): Promise<void> {
    if (closing.signal.aborted || !decoder.isReusable()) return decoder.end()
    const idle = setTimeout(() => {
      idleDecoders.splice(idleDecoders.indexOf(kept), 1)
      void decoder.end()
    }, limits.idleMs).unref()
    const kept = { decoder, idle }
    idleDecoders.push(kept)
  }

  const decodeOnce = (task: DecoderTask, signal: AbortSignal): Promise<ImageVerdict | ZipVerdict> =>
    limitProcesses(async () => {
      signal.throwIfAborted()
      const decoder = acquireDecoder()
      try {
        return await decoder.run(task, { timeMs: limits.timeMs, limitLarge, signal })
      } finally {
        await releaseDecoder(decoder)
      }
    })

  const inProgress = new Set<Promise<unknown>>()

  return {
    async decode(task, given) {
      const signal = given ? AbortSignal.any([given, closing.signal]) : closing.signal
      const work = decodeOnce(task, signal).then((verdict) => {
        if (verdict.kind !== 'failed') return verdict
        log.warn({ task: task.kind, reason: verdict.reason }, 'decoding failed')
        // Try a second time: an operator may have killed the process, or the system was short of memory.
        return verdict.reason === 'interrupted' || verdict.reason === 'crashed' ? decodeOnce(task, signal) : verdict
      })
      const result = work.catch((error: Error): Unavailable => {
        // Closing, or a decoder that does not start, says nothing about the file: it is checked again later.
        const isClosed = closing.signal.aborted && !given?.aborted
        if (!isClosed && !(error instanceof DecoderUnavailable)) throw error
        log.warn({ task: task.kind, cause: error.message }, 'decoder is unavailable')
        return { kind: 'unavailable', screener: 'decoder' }
      })
      const finished = result.catch(() => undefined)
      inProgress.add(finished)
      void finished.then(() => inProgress.delete(finished))
      return result
    },
    async close() {
      closing.abort(new Error('The decoder pool is closed.'))
      const ended = idleDecoders.splice(0).map(({ decoder, idle }) => {
        clearTimeout(idle)
        return decoder.end()
      })
      await Promise.all([...ended, ...inProgress])
    },
  }
}
