import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import type { Log } from '../../platform/log.ts'
import { MachineBusy, type WorkLimits } from '../../platform/work-limit.ts'
import type { DecoderTask, Lane } from './decoder-messages.ts'
import { type DecoderProcess, DecoderUnavailable, startDecoderProcess } from './decoder-process.ts'
import type { DecoderVerdict, Failed, Unavailable } from './verdict.ts'

/** A pool of processes that decode untrusted bytes. Each may be killed at any time. */
export interface DecoderPool {
  /** Without a lane, a task that is too large for the light one is moved to the heavy one. */
  decode(task: DecoderTask, signal?: AbortSignal, lane?: Lane): Promise<DecoderVerdict>
  close(): Promise<void>
}

export interface DecoderLimits {
  /** For small images and ZIPs. There is one more for large ones. */
  readonly processes: number
  /** For one task, once it has a process. Decoders have a low priority, so on a busy machine they take longer by the clock. */
  readonly time: WorkLimits
  /** For one process. */
  readonly memoryBytes: number
  /** How long an idle process is kept. */
  readonly idleMs: number
}

const standardLimits: DecoderLimits = {
  processes: Math.min(2, availableParallelism()),
  time: { processorMs: 90_000, clockMs: 450_000 },
  memoryBytes: 2_000_000_000,
  idleMs: 30_000,
}

/**
 * Two lanes: small files have processes to themselves, and large ones share one, because two might not fit into memory.
 * So a small image never waits for large ones.
 */
export function createDecoderPool(log: Log, given: Partial<DecoderLimits> = {}): DecoderPool {
  const limits = { ...standardLimits, ...given }
  const slotsOf = { light: pLimit(limits.processes), heavy: pLimit(1) }
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

  const decodeIn = (lane: Lane, task: DecoderTask, signal: AbortSignal): Promise<DecoderVerdict> =>
    slotsOf[lane](async () => {
      signal.throwIfAborted()
      const decoder = acquireDecoder()
      try {
        return await decoder.run(task, { lane, time: limits.time, signal })
      } finally {
        await releaseDecoder(decoder)
      }
    })

  async function decodeOnce(task: DecoderTask, signal: AbortSignal, lane: Lane | undefined) {
    const verdict = await decodeIn(lane ?? 'light', task, signal)
    return verdict.kind === 'large' && lane === undefined ? decodeIn('heavy', task, signal) : verdict
  }

  const inProgress = new Set<Promise<unknown>>()

  return {
    async decode(task, given, lane) {
      const signal = given ? AbortSignal.any([given, closing.signal]) : closing.signal
      const work = decodeOnce(task, signal, lane).then((verdict) => {
        if (verdict.kind !== 'failed') return verdict
        log.warn({ task: task.kind, reason: verdict.reason }, 'decoding failed')
        // Try a second time: an operator may have killed the process, or the system was short of memory.
        return verdict.reason === 'interrupted' || verdict.reason === 'crashed'
          ? decodeOnce(task, signal, lane)
          : verdict
      })
      const result = work.catch((error: Error): Unavailable | Failed => {
        // A file that makes the decoder hang looks the same, so these checks count as attempts.
        if (error instanceof MachineBusy) {
          log.warn({ task: task.kind, cause: error.message }, 'decoding was interrupted')
          return { kind: 'failed', reason: 'interrupted' }
        }
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
