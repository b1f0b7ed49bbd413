import { availableParallelism } from 'node:os'
import { type FairQueue, fairQueue } from '../fair-queue.ts'
import type { Turns } from './turns.ts'

const megabyte = 1_000_000
// A request that is short to send still has a size to wait.
const minSize = 1000
const restFactor = 4
// Who waits behind somebody else's slowest request waits no longer than twice this.
const maxRestMs = 300

/** Runs a request when it is its owner's turn, and the turn of the owner's network address, the group. Rejects with `QueueFull` if there is no room for it to wait. */
export type GiveWay = (owner: string, bodyBytes: number, task: () => Promise<void>, group: string) => Promise<void>

/**
 * Writes that people make now and then, and strangers by the hundred: comments, reactions, drafts. While anyone reads, they have
 * as many places as there are cores, and a place rests after a request for four times as long as it took. So they have a
 * fifth of the time, and who wrote least goes first. While nobody reads they do not rest.
 */
export function createGiveWay(turns: Turns): GiveWay {
  const queue: FairQueue = fairQueue({
    slots: Math.max(2, availableParallelism()),
    maxSize: 64 * megabyte,
    maxSizeOfOwner: 16 * megabyte,
    restMs: (tookMs) => (turns.inProgress() > 0 ? Math.min(restFactor * tookMs, maxRestMs) : 0),
  })
  return (owner, bodyBytes, task, group) => queue.run(owner, Math.max(minSize, bodyBytes), task, group)
}
