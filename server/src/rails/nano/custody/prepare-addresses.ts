import { workRootOf, zeroHash } from '@pennypost/nano/block'
import { workThresholds } from '@pennypost/nano/work'
import type { RailServices } from '../../services.ts'
import { saveOpenWork } from './custody-store.ts'

/** An address without work for its first block. */
export interface UnpreparedAddress {
  readonly id: string
  readonly address: string
  readonly expiresAt: Date
}

export interface Preparer {
  /** Takes them up, unless it knows them already. */
  offer(addresses: readonly UnpreparedAddress[]): void
  stop(): Promise<void>
}

const saveEveryMs = 1_000

/**
 * Finds the work of addresses' first blocks, which depends on nothing but their keys, before anybody pays. The newest
 * first, since they are paid next; all of it makes way for work that somebody waits for. What is lost is offered again.
 */
export function createPreparer({ db, clock, log, nano }: RailServices): Preparer {
  const waiting = new Map<string, UnpreparedAddress>()
  const stopped = new AbortController()
  const options = { isAhead: true, signal: stopped.signal } as const
  let working: Promise<void> | undefined

  async function prepareSome(): Promise<void> {
    const found = new Map<string, string>()
    const saveAt = clock.now().getTime() + saveEveryMs
    const isOpen = ({ id, expiresAt }: UnpreparedAddress) => !found.has(id) && expiresAt > clock.now()
    while (clock.now().getTime() < saveAt) {
      const next = [...waiting.values()].findLast(isOpen)
      if (!next) break
      const root = workRootOf({ account: next.address, previous: zeroHash })
      found.set(next.id, await nano.work.generate(root, workThresholds[nano.network].receive, options))
    }
    await saveOpenWork(db, found)
    for (const [id, { expiresAt }] of waiting) if (found.has(id) || expiresAt <= clock.now()) waiting.delete(id)
  }

  async function prepare(): Promise<void> {
    try {
      while (waiting.size > 0) await prepareSome()
    } catch (error) {
      waiting.clear()
      if (!stopped.signal.aborted) log.warn({ cause: (error as Error).message }, 'work was not found ahead of payments')
    }
    working = undefined
  }

  return {
    offer(addresses) {
      if (stopped.signal.aborted) return
      for (const address of addresses) if (!waiting.has(address.id)) waiting.set(address.id, address)
      if (waiting.size > 0) working ??= prepare()
    },
    async stop() {
      stopped.abort()
      await working
    },
  }
}
