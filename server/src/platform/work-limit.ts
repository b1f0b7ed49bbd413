import { readFileSync } from 'node:fs'

/** Work with a low priority got hardly any processor time because the machine is busy. The work itself may be fine. */
export class MachineBusy extends Error {
  override name = 'MachineBusy'
}

const tickMs = 10
const minPauseMs = 20

/**
 * Milliseconds that a process, or one thread of ours, has spent on processors so far. Undefined if it has ended, and on
 * systems other than Linux.
 */
export function processorTimeMs(of: { readonly pid: number } | { readonly thread: number }): number | undefined {
  const folder = 'pid' in of ? `/proc/${of.pid}` : `/proc/self/task/${of.thread}`
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces. The 12th and 13th fields after it are ticks: as itself, and in the kernel.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    return undefined
  }
}

export interface WorkLimits {
  /** How much processor time the work may take. */
  readonly processorMs: number
  /** How long it may take by the clock. */
  readonly clockMs: number
}

export interface WorkLimit {
  /** Resolves when the work has taken too much processor time, or has waited too long for a processor. */
  readonly reached: Promise<'limit' | 'machine-busy'>
  clear(): void
}

/**
 * Limits work by the processor time it takes. By the clock alone, a busy machine would end work that has hardly run. Where
 * processor time cannot be read, the clock is used. The first check is after `processorMs`, so work on several threads may
 * use more before it ends.
 */
export function limitWork({ processorMs, clockMs }: WorkLimits, spentMs: () => number | undefined): WorkLimit {
  const begun = performance.now()
  const spentBefore = spentMs()
  let timer: NodeJS.Timeout
  const reached = new Promise<'limit' | 'machine-busy'>((resolve) => {
    const check = () => {
      const waited = performance.now() - begun
      const spentNow = spentMs()
      const spent = spentNow === undefined || spentBefore === undefined ? waited : spentNow - spentBefore
      if (spent >= processorMs) resolve('limit')
      else if (waited >= clockMs) resolve('machine-busy')
      else timer = setTimeout(check, Math.max(minPauseMs, Math.min(processorMs - spent, clockMs - waited)))
    }
    timer = setTimeout(check, Math.min(processorMs, clockMs))
  })
  return { reached, clear: () => clearTimeout(timer) }
}
