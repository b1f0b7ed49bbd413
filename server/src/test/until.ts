import { setTimeout as wait } from 'node:timers/promises'

const deadlineMs = 60_000

/**
 * Waits until a condition holds and returns its value. The deadline is generous, so that a busy machine is never the
 * reason for a failure; past it the test fails and says what it waited for.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { withinMs = deadlineMs, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > end) throw new Error(`waited ${withinMs / 1000} s in vain: ${what}`)
    await wait(everyMs)
  }
}
