import { setTimeout as wait } from 'node:timers/promises'

/**
 * Calls `send` a fixed number of times per second, evenly spaced, and waits for all of it. `send` gets the time when it was
 * due: what is timed from then on includes the wait behind a slow reply.
 */
export async function evenly(perSecond, seconds, send) {
  const startedAt = performance.now()
  const pending = []
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const dueAt = startedAt + (number * 1000) / perSecond
    const earlyMs = dueAt - performance.now()
    if (earlyMs > 0) await wait(earlyMs)
    pending.push(send(Math.max(dueAt, performance.now() - 2), number)) // the timer's own delay is not the server's
  }
  await Promise.all(pending)
}

export function summaryOf(latencies) {
  const sorted = Float64Array.from(latencies).sort()
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { requests: sorted.length, p50: percentile(0.5), p99: percentile(0.99) }
}
