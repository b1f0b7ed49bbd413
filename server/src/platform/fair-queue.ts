import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { entriesAtMost } from './entries-at-most.ts'

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
  /** How long a slot stays empty after a task, given how long that took. By default not at all. */
  readonly pauseMs?: (tookMs: number) => number
}

export interface FairQueue {
  /**
   * Runs a task when it is its owner's turn. Rejects with `QueueFull` if there is no room for it to wait. Owners of one group take
   * turns for its share: the group is the network of accounts, of which a stranger can make many.
   */
  run<Result>(owner: string, size: number, task: () => Promise<Result>, group?: string): Promise<Result>
  /** Resolves when every task that was accepted has finished. */
  idle(): Promise<void>
}

interface Waiting {
  readonly size: number
  readonly group: string
  readonly start: () => Promise<void>
}

/** How much an owner or a group has used the queue. */
interface Usage {
  readonly usedMs: number
  /** The number of its last task among all that were served. */
  readonly servedAt: number
}

// Long enough that an owner who sends more every minute does not count as new.
const forgetMs = 10 * 60_000
const maxOwners = 10_000
// Differences below this do not count: after a small save, an owner does not have to wait for everyone who has saved
// nothing yet.
const noticeableMs = 500

/**
 * A queue in which nobody can delay others by more than the task that is running. The group that used the least time goes
 * first, within it the owner who used the least time or was served longest ago, and then the oldest task. Used time is
 * forgotten ten minutes after the last task. An owner has at most one task running.
 */
export function fairQueue({ slots, maxSize, maxSizeOfOwner, pauseMs }: FairQueueOptions): FairQueue {
  const waiting = new Map<string, Waiting[]>()
  const running = new Set<string>()
  const owners = new LRUCache<string, Usage>({ ...entriesAtMost(maxOwners), ttl: forgetMs })
  const groups = new LRUCache<string, Usage>({ ...entriesAtMost(maxOwners), ttl: forgetMs })
  let served = 0
  const idleListeners: (() => void)[] = []
  let size = 0

  const sizeOf = (owner: string): number => (waiting.get(owner) ?? []).reduce((sum, task) => sum + task.size, 0)

  const note = (usages: typeof owners, name: string, tookMs: number): void =>
    void usages.set(name, { usedMs: (usages.get(name)?.usedMs ?? 0) + tookMs, servedAt: served })

  function nextOwner(): string | undefined {
    let next: string | undefined
    let least: readonly number[] = []
    for (const [owner, [first]] of waiting) {
      if (running.has(owner)) continue
      const [group, own] = [groups.get(first!.group), owners.get(owner)]
      const rank = [noticeable(group), noticeable(own), group?.servedAt ?? 0, own?.servedAt ?? 0]
      if (next !== undefined && !isBefore(rank, least)) continue
      next = owner
      least = rank
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
    served += 1
    note(owners, owner, tookMs)
    note(groups, task.group, tookMs)
    const pause = pauseMs?.(tookMs) ?? 0
    if (pause > 0) await wait(pause)
    running.delete(owner)
    startNext()
  }

  return {
    run<Result>(owner: string, taskSize: number, task: () => Promise<Result>, group = owner): Promise<Result> {
      // A task of any size may wait if no other one does.
      if (size > 0 && size + taskSize > maxSize) return Promise.reject(new QueueFull(false))
      const own = sizeOf(owner)
      if (own > 0 && own + taskSize > maxSizeOfOwner) return Promise.reject(new QueueFull(true))
      return new Promise<Result>((resolve, reject) => {
        const start = () => task().then(resolve, reject)
        const tasks = waiting.get(owner)
        if (tasks) tasks.push({ size: taskSize, group, start })
        else waiting.set(owner, [{ size: taskSize, group, start }])
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

const noticeable = (usage: Usage | undefined): number => Math.floor((usage?.usedMs ?? 0) / noticeableMs)

/** Whether one list of numbers comes before the other in lexicographic order. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const different = one.findIndex((number, index) => number !== other[index])
  return different !== -1 && one[different]! < other[different]!
}
