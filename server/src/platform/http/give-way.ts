import { availableParallelism } from 'node:os'
import { type FairQueue, fairQueue } from '../fair-queue.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'

const megabyte = 1_000_000
// Even the smallest request takes this much room in the queue.
const minSize = 1000
// Even behind another owner's slowest request, nobody waits longer than twice this.
const maxPauseMs = 300

/** Runs a request when it is its owner's turn, and the turn of the owner's network, the group. Rejects with `QueueFull` if there is no room for it to wait. */
export type GiveWay = (owner: string, bodyBytes: number, task: () => Promise<void>, group: string) => Promise<void>

/**
 * Limits writes that people make now and then, but attackers by the hundred: comments, reactions, drafts. While anyone
 * reads, as many run as there are cores, and a place stays empty after a request for four times as long as it took, so
 * writes get a fifth of the time. Whoever wrote least goes first. While nobody reads there are no pauses.
 */
export const createGiveWay = (concurrency: ConcurrencyLimit): GiveWay =>
  giveWayWith(concurrency, { slots: Math.max(2, availableParallelism()), pauseFactor: 4, waitingBytes: 64 * megabyte })

/**
 * The same for the pieces of uploads. They have one place, and it stays empty for longer, because most of the work with a piece comes
 * later: it is stored and screened. On two cores that is one or two megabytes a second for all uploads together while others read.
 * There is room for a piece of each of the 500 connections that an address may have: a part of which a piece has no room is sent
 * again from its beginning.
 */
export const createUploadsGiveWay = (concurrency: ConcurrencyLimit): GiveWay =>
  giveWayWith(concurrency, { slots: 1, pauseFactor: 10, waitingBytes: 128 * megabyte })

interface Places {
  readonly slots: number
  readonly pauseFactor: number
  /** How many bytes may wait in total. An owner may have a quarter of them. */
  readonly waitingBytes: number
}

function giveWayWith(concurrency: ConcurrencyLimit, { slots, pauseFactor, waitingBytes }: Places): GiveWay {
  const queue: FairQueue = fairQueue({
    slots,
    maxSize: waitingBytes,
    maxSizeOfOwner: waitingBytes / 4,
    pauseMs: (tookMs) => (concurrency.isInUse() ? Math.min(pauseFactor * tookMs, maxPauseMs) : 0),
  })
  return (owner, bodyBytes, task, group) => queue.run(owner, Math.max(minSize, bodyBytes), task, group)
}
