import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { NodeRefusal, NodeUnreachable } from './node-errors.ts'

/** Stops calling a node for a while after repeated failures. */
export interface CircuitBreaker {
  /** Whether calls are being rejected. */
  isOpen(): boolean
  /** Runs `act`, or throws NodeUnreachable while the breaker is open. A NodeRefusal does not count as a failure. */
  run<T>(what: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

const failureThreshold = 3
const minOpenMs = 1_000
// A node that recovers is used again within seconds, however long it was unavailable.
const maxOpenMs = 5_000

export function createCircuitBreaker(name: string, { clock, log }: { clock: Clock; log: Log }): CircuitBreaker {
  let failures = 0
  let openings = 0
  let openUntilMs = 0
  let isProbing = false

  const nowMs = () => clock.now().getTime()
  const isOpen = () => nowMs() < openUntilMs || (isProbing && failures >= failureThreshold)

  function noteSuccess(): void {
    failures = 0
    openUntilMs = 0
  }

  function noteFailure(what: string, error: Error, openingsAtStart: number): void {
    // A call that started before the breaker opened says nothing new.
    if (openings !== openingsAtStart) return
    failures += 1
    if (failures < failureThreshold) return
    const openMs = Math.min(maxOpenMs, minOpenMs * 2 ** (failures - failureThreshold))
    openings += 1
    openUntilMs = nowMs() + openMs
    log.warn({ what, cause: error.message, failures, openMs }, `${name} keeps failing; the circuit breaker is open`)
  }

  return {
    isOpen,
    async run(what, act, signal) {
      if (isOpen()) throw new NodeUnreachable('the circuit breaker is open after repeated failures', false)
      const openingsAtStart = openings
      const isProbe = failures >= failureThreshold
      if (isProbe) isProbing = true // half-open: this call goes first, others are rejected until it finishes
      try {
        const result = await act()
        noteSuccess()
        return result
      } catch (error) {
        if (error instanceof NodeRefusal) noteSuccess()
        // An aborted call says nothing about the node.
        else if (!signal?.aborted) noteFailure(what, error as Error, openingsAtStart)
        throw error
      } finally {
        if (isProbe) isProbing = false
      }
    },
  }
}
