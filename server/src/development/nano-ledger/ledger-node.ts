import type { StateBlock } from '@pennypost/nano/block'
import type { WorkSearch } from '@pennypost/nano/work-search'
import { createWorkSearch } from '@pennypost/nano/work-search'
import type { Clock } from '../../platform/clock.ts'
import { createLedger, type Ledger, type LedgerBlock, LedgerRefusal } from './ledger.ts'
import { openLedgerFile } from './ledger-file.ts'

/** A ledger on disk that confirms its own blocks, like a network with one voter. */
export interface LedgerNode {
  readonly ledger: Ledger
  readonly search: WorkSearch
  /** Adds a block. It is on disk once `flushed` resolves, and is confirmed a little later. */
  process(block: StateBlock): LedgerBlock
  /** Resolves when everything that is visible now is on disk. */
  flushed(): Promise<void>
  onConfirmed(listener: (block: LedgerBlock) => void): void
  /** For tests: blocks are accepted but stay unconfirmed, as on a node that receives no votes. */
  withholdVotes(): void
  castVotes(): void
  close(): Promise<void>
}

interface StoredBlock {
  readonly block: StateBlock
  readonly seenAtSeconds: number
}

export interface LedgerNodeOptions {
  readonly path: string
  readonly clock: Clock
  readonly confirmAfterMs: number
}

const maxUnchecked = 1_000

export async function openLedgerNode({ path, clock, confirmAfterMs }: LedgerNodeOptions): Promise<LedgerNode> {
  const ledger = createLedger()
  const search = await createWorkSearch()
  // Blocks in the file count as confirmed.
  const file = await openLedgerFile(path, (record) => {
    const { block, seenAtSeconds } = record as StoredBlock
    ledger.confirm(ledger.restore(block, seenAtSeconds))
  })

  const listeners: ((block: LedgerBlock) => void)[] = []
  const elections = new Set<NodeJS.Timeout>()
  // Blocks that came before their previous block or source, by the hash they wait for. They are added once that arrives.
  const unchecked = new Map<string, StateBlock[]>()
  let withheld: LedgerBlock[] | undefined
  let written: Promise<void> = Promise.resolve()

  function elect(block: LedgerBlock): void {
    const timer = setTimeout(() => {
      elections.delete(timer)
      if (withheld) withheld.push(block)
      else confirm(block)
    }, confirmAfterMs)
    elections.add(timer)
  }

  function confirm(block: LedgerBlock): void {
    ledger.confirm(block)
    for (const listener of listeners) listener(block)
  }

  function add(block: StateBlock): LedgerBlock {
    const seenAtSeconds = Math.floor(clock.now().getTime() / 1000)
    const added = ledger.add(block, seenAtSeconds)
    written = file.append({ block, seenAtSeconds } satisfies StoredBlock)
    written.then(
      () => elect(added),
      () => {}, // `flushed` rejects with the error
    )
    for (const waiting of takeUnchecked(added.hash)) {
      try {
        process(waiting)
      } catch (error) {
        // Nobody waits for the reply. As on a node, an invalid block is dropped, and one with another gap waits again.
        if (!(error instanceof LedgerRefusal)) throw error
      }
    }
    return added
  }

  function process(block: StateBlock): LedgerBlock {
    try {
      return add(block)
    } catch (error) {
      const missing = (error as Error).message.startsWith('Gap previous') ? block.previous : block.link
      if (error instanceof LedgerRefusal && error.message.startsWith('Gap')) keepUnchecked(missing, block)
      throw error
    }
  }

  function keepUnchecked(missing: string, block: StateBlock): void {
    if (unchecked.size < maxUnchecked) unchecked.set(missing, [...(unchecked.get(missing) ?? []), block])
  }

  function takeUnchecked(hash: string): StateBlock[] {
    const waiting = unchecked.get(hash) ?? []
    unchecked.delete(hash)
    return waiting
  }

  return {
    ledger,
    search,
    process,
    flushed: () => written,
    onConfirmed: (listener) => void listeners.push(listener),
    withholdVotes() {
      withheld ??= []
    },
    castVotes() {
      const waiting = withheld ?? []
      withheld = undefined
      for (const block of waiting) confirm(block)
    },
    async close() {
      for (const timer of elections) clearTimeout(timer)
      await file.close()
    },
  }
}
