import { expectedHashes } from '@pennypost/nano/work'
import { createWorkSearch } from '@pennypost/nano/work-search'
import type { Log } from '../../../platform/log.ts'
import type { WorkServers } from './work-servers.ts'
import { createWorkThreads, type WorkOptions, type WorkThreads } from './work-threads.ts'

/** Provides work for blocks: from a server if one is configured, else computed on this machine. */
export interface WorkSource {
  /** Work for this root (`workRootOf`) that reaches the threshold. Rejects if the signal is aborted. */
  generate(root: string, threshold: bigint, options?: WorkOptions): Promise<string>
  close(): Promise<void>
}

export interface WorkSourceParts {
  /** `work_generate` servers. Their results are verified. While they fail, work is computed on this machine. */
  readonly server: WorkServers | undefined
  readonly log: Log
  readonly threads?: WorkThreads
}

// On the dev network a send takes a fraction of a millisecond, less than waking a thread.
const fewHashes = 1 << 10
const pairsPerSearch = 1 << 10

export function openWorkSource({ server, log, threads = createWorkThreads() }: WorkSourceParts): WorkSource {
  let search: ReturnType<typeof createWorkSearch> | undefined

  async function searchHere(root: string, threshold: bigint): Promise<string> {
    search ??= createWorkSearch()
    const tryAll = await search
    for (let first = 0n; ; first += 2n * BigInt(pairsPerSearch)) {
      const work = tryAll(root, threshold, first, pairsPerSearch)
      if (work !== undefined) return work
    }
  }

  return {
    async generate(root, threshold, options = {}) {
      const { signal } = options
      signal?.throwIfAborted()
      if (server) {
        try {
          return await server.generateWork(root, threshold, signal && { signal })
        } catch (error) {
          signal?.throwIfAborted()
          log.warn({ cause: (error as Error).message }, 'no work server could compute work; computing it here')
        }
      }
      if (expectedHashes(threshold) <= fewHashes) return searchHere(root, threshold)
      return threads.generate(root, threshold, options)
    },
    close: () => threads.close(),
  }
}
