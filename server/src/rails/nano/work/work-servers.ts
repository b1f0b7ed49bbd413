import { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { NodeUnreachable } from '../../node-errors.ts'
import { createNodeClient } from '../node/node-client.ts'
import { createRpcEndpoint, type RpcEndpoint } from '../node/rpc-endpoint.ts'

/** Servers that compute work for us (`work_generate`). */
export interface WorkServers {
  /** Work that reaches the threshold: it is checked. Throws a node error if no server has any. */
  generateWork(root: string, threshold: bigint, options?: { readonly signal?: AbortSignal }): Promise<string>
}

interface Parts {
  readonly urls: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

const cancelTimeoutMs = 2_000

/**
 * Has all servers search for the same work: the first valid result wins, and the other servers are asked to stop. Every
 * nonce is equally likely, so two servers find one twice as soon. A server that keeps failing is left out for a while.
 */
export function createWorkServers({ urls, clock, log, timeoutMs }: Parts): WorkServers {
  const endpoints = urls.map((url) => createRpcEndpoint({ url, clock, log, timeoutMs }))
  return {
    async generateWork(root, threshold, { signal } = {}) {
      const usable = endpoints.filter((endpoint) => !endpoint.isCircuitOpen())
      if (usable.length === 0) throw new NodeUnreachable('no work server can be used now', false)
      const searching = new Set(usable)
      const isOver = new AbortController()
      const ends = signal ? AbortSignal.any([signal, isOver.signal]) : isOver.signal
      const search = async (endpoint: RpcEndpoint): Promise<string> => {
        try {
          // It checks the result.
          return await createNodeClient([endpoint]).generateWork(root, threshold, { signal: ends })
        } finally {
          if (!ends.aborted) searching.delete(endpoint)
        }
      }
      try {
        return await Promise.any(usable.map(search))
      } catch (error) {
        throw error instanceof AggregateError ? error.errors[0] : error
      } finally {
        isOver.abort()
        // The connection is closed too, but not every server notices that.
        for (const endpoint of searching) cancelOn(endpoint, root)
      }
    },
  }
}

/** Does not wait: a server that does not stop finishes eventually. */
const cancelOn = (endpoint: RpcEndpoint, root: string): void => {
  endpoint.call({ action: 'work_cancel', hash: root }, z.unknown(), { timeoutMs: cancelTimeoutMs }).catch(() => {})
}
