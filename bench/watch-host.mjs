import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const sampleMs = 50
const ticksPerSecond = 100 // USER_HZ, the same on every Linux
// Less than this in one sample delays nobody noticeably.
const minStolenMs = 20
// Requests that queued up meanwhile are late for a little longer.
const afterMs = 100
const calmMs = 2000
const maxStolenShare = 0.05

/**
 * Watches when the host of a virtual machine takes processors away. On a busy host that happens several times a minute, for
 * 50 to 700 ms each, and five requests in a hundred milliseconds decide a p99. Elsewhere it never happens.
 */
export function watchHost() {
  const away = []
  let [sampledAt, stolen] = [performance.now(), stolenMs()]
  const sample = () => {
    const [now, total] = [performance.now(), stolenMs()]
    if (total - stolen >= minStolenMs) away.push({ from: sampledAt, to: now + afterMs })
    sampledAt = now
    stolen = total
  }
  const timer = setInterval(sample, sampleMs)
  return {
    wasAway: (from, to) => away.some((period) => from <= period.to && to >= period.from),
    stop() {
      sample()
      clearInterval(timer)
    },
  }
}

/** Waits until the host leaves this machine alone, or for a minute. */
export async function untilHostIsCalm() {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const before = stolenMs()
    await wait(calmMs)
    if (stolenMs() - before < maxStolenShare * calmMs) return
  }
}

/** How long the host has taken processors away since it started this machine, all of them together. */
export function stolenMs() {
  if (!existsSync('/proc/stat')) return 0
  const steal = /^cpu +(?:\d+ ){7}(\d+)/.exec(readFileSync('/proc/stat', 'utf8'))[1]
  return (Number(steal) * 1000) / ticksPerSecond
}
