import { workRootOf, zeroHash } from '@pennypost/nano/block'
import { workThresholds } from '@pennypost/nano/work'
import type { RailServices } from '../../services.ts'
import { saveOpenWork, type UnpreparedAddress } from '../custody/addresses.ts'

interface Preparer {
  /** Adds them, unless they are already known. */
  offer(addresses: readonly UnpreparedAddress[]): void
  stop(): Promise<void>
}

const saveEveryMs = 1_000

/**
 * Computes the work for the first block of each address before anyone pays: it depends only on the address's key. The
 * newest come first, because they are paid next. It is interrupted for work that a payment is waiting for. An address that
 * is lost in a restart is offered again.
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
      if (!stopped.signal.aborted)
        log.warn({ cause: (error as Error).message }, 'work could not be computed in advance')
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
