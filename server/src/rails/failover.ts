import { setTimeout as wait } from 'node:timers/promises'
import { MalformedReply, NodeRefusal } from './node-errors.ts'

const pauseMs = 250

/** Tries the endpoints in order until one replies or refuses, then all of them once more unless `rounds` says otherwise. */
export async function withFailover<E extends { isCircuitOpen(): boolean }, T>(
  endpoints: readonly E[],
  call: (endpoint: E) => Promise<T>,
  { rounds = 2, signal }: { rounds?: number; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  let last: unknown
  for (let round = 1; ; round += 1) {
    for (const endpoint of endpoints) {
      try {
        return await call(endpoint)
      } catch (error) {
        if (error instanceof NodeRefusal || signal?.aborted) throw error
        if (!(last instanceof MalformedReply)) last = error
      }
    }
    if (round === rounds || endpoints.every((endpoint) => endpoint.isCircuitOpen())) throw last
    await wait(pauseMs)
  }
}
