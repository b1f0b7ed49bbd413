import { appendFileSync } from 'node:fs'

const reached = new Set<string>()

/**
 * Records that a test reached this refusal of an operation. `npm test` collects these files from all its processes, and
 * fails if no test reached a declared refusal.
 */
export function noteReached(operation: string, code: string): void {
  const folder = process.env.TEST_REFUSALS
  const pair = `${operation} ${code}`
  if (!folder || reached.has(pair)) return
  reached.add(pair)
  appendFileSync(`${folder}-${process.pid}`, `${pair}\n`)
}
