import type { StateBlock } from '@pennypost/nano/block'
import type { WorkSearch } from '@pennypost/nano/work-search'
import { createWorkSearch } from '@pennypost/nano/work-search'
import type { Clock } from '../../platform/clock.ts'
import { createLedger, type Ledger, type LedgerBlock } from './ledger.ts'
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

interface Written {
  readonly block: StateBlock
  readonly seenAtSeconds: number
}

export interface LedgerNodeOptions {
  readonly path: string
  readonly clock: Clock
  readonly confirmAfterMs: number
}

export async function openLedgerNode({ path, clock, confirmAfterMs }: LedgerNodeOptions): Promise<LedgerNode> {
  const ledger = createLedger()
  const search = await createWorkSearch()
  // Blocks in the file count as confirmed.
  const file = await openLedgerFile(path, (record) => {
    const { block, seenAtSeconds } = record as Written
    ledger.confirm(ledger.restore(block, seenAtSeconds))
  })

  const listeners: ((block: LedgerBlock) => void)[] = []
  const elections = new Set<NodeJS.Timeout>()
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

  return {
    ledger,
    search,
    process(block) {
      const seenAtSeconds = Math.floor(clock.now().getTime() / 1000)
      const added = ledger.add(block, seenAtSeconds)
      written = file.append({ block, seenAtSeconds } satisfies Written)
      written.then(
        () => elect(added),
        () => {}, // `flushed` rejects with the error
      )
      return added
    },
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
