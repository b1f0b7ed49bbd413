import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** A task found no room in the queue: its owner has too much waiting, or everyone together has. */
export class QueueFull extends Error {
  override name = 'QueueFull'
  readonly ofOwner: boolean

  constructor(ofOwner: boolean) {
    super(ofOwner ? 'Too much of this owner is waiting.' : 'Too much is waiting.')
    this.ofOwner = ofOwner
  }
}

export interface FairQueueOptions {
  /** How many tasks run at the same time, each of another owner. */
  readonly slots: number
  /** How much may wait: of everyone together, and of one owner. The unit is that of the tasks' sizes. */
  readonly maxSize: number
  readonly maxSizeOfOwner: number
  /** How long a slot stays empty after a task that took so long. Not at all unless given. */
  readonly restMs?: (tookMs: number) => number
}

export interface FairQueue {
  /** Runs a task when it is its owner's turn. Rejects with `QueueFull` if there is no room for it to wait. */
  run<Result>(owner: string, size: number, task: () => Promise<Result>): Promise<Result>
  /** Resolves when every task that was accepted has finished. */
  idle(): Promise<void>
}

interface Waiting {
  readonly size: number
  readonly start: () => Promise<void>
}

const forgetMs = 60_000
const maxOwners = 10_000

/**
 * A queue in which nobody can delay others by more than the task that is running. The owner who used the least time
 * goes first, and within an owner the oldest task. An owner's time is forgotten a minute after its last task, and an
 * owner has at most one task running.
 */
export function fairQueue({ slots, maxSize, maxSizeOfOwner, restMs }: FairQueueOptions): FairQueue {
  const waiting = new Map<string, Waiting[]>()
  const running = new Set<string>()
  const usedMs = new LRUCache<string, number>({ max: maxOwners, ttl: forgetMs })
  const idleListeners: (() => void)[] = []
  let size = 0

  const sizeOf = (owner: string): number => (waiting.get(owner) ?? []).reduce((sum, task) => sum + task.size, 0)

  function nextOwner(): string | undefined {
    let next: string | undefined
    let least = Number.POSITIVE_INFINITY
    // A map lists owners in the order in which they began to wait, so equal ones are served in that order.
    for (const owner of waiting.keys()) {
      const used = usedMs.get(owner) ?? 0
      if (running.has(owner) || used >= least) continue
      next = owner
      least = used
    }
    return next
  }

  function startNext(): void {
    while (running.size < slots) {
      const owner = nextOwner()
      if (owner === undefined) break
      const tasks = waiting.get(owner)!
      const task = tasks.shift()!
      if (tasks.length === 0) waiting.delete(owner)
      size -= task.size
      void runTask(owner, task)
    }
    if (running.size === 0 && waiting.size === 0) for (const resolve of idleListeners.splice(0)) resolve()
  }

  async function runTask(owner: string, task: Waiting): Promise<void> {
    running.add(owner)
    const startedAt = performance.now()
    await task.start()
    const tookMs = performance.now() - startedAt
    usedMs.set(owner, (usedMs.get(owner) ?? 0) + tookMs)
    const rest = restMs?.(tookMs) ?? 0
    if (rest > 0) await wait(rest)
    running.delete(owner)
    startNext()
  }

  return {
    run<Result>(owner: string, taskSize: number, task: () => Promise<Result>): Promise<Result> {
      // Something of any size may wait if nothing else does.
      if (size > 0 && size + taskSize > maxSize) return Promise.reject(new QueueFull(false))
      const own = sizeOf(owner)
      if (own > 0 && own + taskSize > maxSizeOfOwner) return Promise.reject(new QueueFull(true))
      return new Promise<Result>((resolve, reject) => {
        const start = () => task().then(resolve, reject)
        const tasks = waiting.get(owner)
        if (tasks) tasks.push({ size: taskSize, start })
        else waiting.set(owner, [{ size: taskSize, start }])
        size += taskSize
        startNext()
      })
    },
    idle: () =>
      running.size === 0 && waiting.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => idleListeners.push(resolve)),
  }
}
