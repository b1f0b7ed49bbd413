import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { NodeRefusal, NodeUnreachable } from './nano/node/node-errors.ts'

/** What fails again and again is left alone for a while. */
export interface CircuitBreaker {
  /** Whether it is being left alone. */
  isOpen(): boolean
  /** Acts, unless it is being left alone: then NodeUnreachable. A refusal is no failure. */
  run<T>(what: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

const failuresBeforeRest = 3
const shortestRestMs = 1_000
const longestRestMs = 60_000

export function createCircuitBreaker(name: string, { clock, log }: { clock: Clock; log: Log }): CircuitBreaker {
  let failures = 0
  let restsUntilMs = 0
  let isTried = false

  const nowMs = () => clock.now().getTime()
  const isResting = () => nowMs() < restsUntilMs || (failures >= failuresBeforeRest && isTried)

  function noteFailure(what: string, error: Error): void {
    // Questions that were under way when the rest began say nothing new.
    if (nowMs() < restsUntilMs) return
    failures += 1
    if (failures < failuresBeforeRest) return
    const restMs = Math.min(longestRestMs, shortestRestMs * 2 ** (failures - failuresBeforeRest))
    restsUntilMs = nowMs() + restMs
    log.warn({ what, cause: error.message, failures, restMs }, `${name} fails; it is left alone for a while`)
  }

  return {
    isOpen: isResting,
    async run(what, act, signal) {
      if (isResting()) throw new NodeUnreachable('the node is left alone after failures', false)
      isTried = true // after a rest one question goes first; the others wait for how it fares
      try {
        const found = await act()
        failures = 0
        return found
      } catch (error) {
        if (error instanceof NodeRefusal) failures = 0
        // Whoever gave up waiting has learned nothing about the node.
        else if (!signal?.aborted) noteFailure(what, error as Error)
        throw error
      } finally {
        isTried = false
      }
    },
  }
}
