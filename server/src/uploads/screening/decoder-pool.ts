import { availableParallelism } from 'node:os'
import type { Log } from '../../platform/log.ts'
import { turns } from '../../platform/turns.ts'
import type { DecoderTask } from './decoder-messages.ts'
import { type DecoderProcess, DecoderUnavailable, startDecoderProcess } from './decoder-process.ts'
import type { ImageVerdict, Unavailable, ZipVerdict } from './verdict.ts'

/** Looks at untrusted bytes in processes of their own, which may be killed at any time. */
export interface DecoderPool {
  decode(task: DecoderTask, signal?: AbortSignal): Promise<ImageVerdict | ZipVerdict>
  close(): Promise<void>
}

export interface DecoderLimits {
  readonly processes: number
  /** For one task, not counting how long it waits for its turn. */
  readonly timeMs: number
  /** For one process. */
  readonly memoryBytes: number
  /** How long a process is kept that has nothing to do. */
  readonly idleMs: number
}

const standardLimits: DecoderLimits = {
  processes: Math.min(2, availableParallelism()),
  timeMs: 90_000,
  memoryBytes: 2_000_000_000,
  idleMs: 30_000,
}

/** Large images take turns, or the memory of two would have to fit side by side; small ones do not wait for them. */
export function createDecoderPool(log: Log, given: Partial<DecoderLimits> = {}): DecoderPool {
  const limits = { ...standardLimits, ...given }
  const slots = turns(limits.processes)
  const large = turns(1)
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

  async function decodeOnce(task: DecoderTask, signal: AbortSignal): Promise<ImageVerdict | ZipVerdict> {
    const leave = await slots.take(signal)
    try {
      const decoder = acquireDecoder()
      try {
        return await decoder.ask(task, { timeMs: limits.timeMs, large, signal })
      } finally {
        await releaseDecoder(decoder)
      }
    } finally {
      leave()
    }
  }

  const inProgress = new Set<Promise<unknown>>()

  return {
    async decode(task, given) {
      const signal = given ? AbortSignal.any([given, closing.signal]) : closing.signal
      const work = decodeOnce(task, signal).then((verdict) => {
        if (verdict.kind !== 'failed') return verdict
        log.warn({ task: task.kind, reason: verdict.reason }, 'decoding was stopped')
        // Once may be bad luck: an operator, or a system short of memory.
        return verdict.reason === 'interrupted' || verdict.reason === 'crashed' ? decodeOnce(task, signal) : verdict
      })
      const answered = work.catch((error: Error): Unavailable => {
        // Neither says anything about the file: it is to be looked at when there is a decoder again.
        const isClosed = closing.signal.aborted && !given?.aborted
        if (!isClosed && !(error instanceof DecoderUnavailable)) throw error
        log.warn({ task: task.kind, cause: error.message }, 'nothing could be decoded')
        return { kind: 'unavailable', screener: 'decoder' }
      })
      const settled = answered.catch(() => undefined)
      inProgress.add(settled)
      void settled.then(() => inProgress.delete(settled))
      return answered
    },
    async close() {
      closing.abort(new Error('The decoder is closed.'))
      const ended = idleDecoders.splice(0).map(({ decoder, idle }) => {
        clearTimeout(idle)
        return decoder.end()
      })
      await Promise.all([...ended, ...inProgress])
    },
  }
}
