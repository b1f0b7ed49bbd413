import {
  hashBlock,
  isSignedByItsAccount,
  maxRaw,
  receiverOf,
  type StateBlock,
  workRootOf,
  zeroHash,
} from '@pennypost/nano/block'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { genesisAccount, genesisBlock, genesisHash } from './genesis.ts'

/** A refusal, with the same message as a real node's RPC. */
export class LedgerRefusal extends Error {
  override name = 'LedgerRefusal'
}

export type Subtype = 'send' | 'receive' | 'open' | 'change'

export interface LedgerBlock {
  readonly hash: string
  readonly contents: StateBlock | typeof genesisBlock
  readonly account: string
  readonly subtype: Exclude<Subtype, 'open'>
  readonly amount: bigint
  readonly balance: bigint
  readonly representative: string
  readonly height: number
  readonly seenAtSeconds: number
  successor: string
}

export interface LedgerAccount {
  readonly openBlock: string
  head: LedgerBlock
  representativeBlock: string
  confirmedHead: LedgerBlock | undefined
}

/** Chains of blocks in memory, checked the way a real node checks them. */
export interface Ledger {
  /** Checks a block and adds it, or throws a LedgerRefusal. */
  add(block: StateBlock, seenAtSeconds: number): LedgerBlock
  /** Adds a block from the file without checking it again. */
  restore(block: StateBlock, seenAtSeconds: number): LedgerBlock
  confirm(block: LedgerBlock): void
  isConfirmed(block: LedgerBlock): boolean
  block(hash: string): LedgerBlock | undefined
  counts(): { readonly count: number; readonly confirmed: number }
  account(address: string): LedgerAccount | undefined
  /** Sends to this address that it has not received yet, ordered by hash as on a real node. */
  receivable(address: string): LedgerBlock[]
}

export const thresholds = workThresholds.dev

export function createLedger(): Ledger {
  const blocks = new Map<string, LedgerBlock>()
  const accounts = new Map<string, LedgerAccount>()
  const receivable = new Map<string, Map<string, LedgerBlock>>()
  let confirmedCount = 1

  const genesis: LedgerBlock = {
    hash: genesisHash,
    contents: genesisBlock,
    account: genesisAccount,
    subtype: 'receive',
    height: 1,
    amount: maxRaw,
    balance: maxRaw,
    representative: genesisAccount,
    seenAtSeconds: 0,
    successor: zeroHash,
  }
  blocks.set(genesisHash, genesis)
  accounts.set(genesisAccount, {
    openBlock: genesisHash,
    head: genesis,
    representativeBlock: genesisHash,
    confirmedHead: genesis,
  })

  /** Checks a block and returns its type and amount. Checks in a node's order, so that it throws the same error. */
  function effectOf(block: StateBlock, hash: string): Pick<LedgerBlock, 'subtype' | 'amount'> {
    if (blocks.has(hash)) throw new LedgerRefusal('Old block')
    if (!isSignedByItsAccount(block)) throw new LedgerRefusal('Bad signature')
    const head = accounts.get(block.account)?.head
    requirePosition(block, head)
    const before = head?.balance ?? 0n
    const balance = BigInt(block.balance)
    const isSend = balance < before
    const amount = isSend ? before - balance : balance - before
    if (!isSend) requireSource(block, amount)
    const least = isSend || block.link === zeroHash ? thresholds.send : thresholds.receive
    if (!isWorkEnough(workRootOf(block), block.work, least)) throw new LedgerRefusal('Block work is insufficient')
    return { subtype: isSend ? 'send' : block.link === zeroHash ? 'change' : 'receive', amount }
  }

  function requirePosition(block: StateBlock, head: LedgerBlock | undefined): void {
    if (head) {
      if (block.previous === zeroHash) throw new LedgerRefusal('Fork')
      if (!blocks.has(block.previous)) throw new LedgerRefusal('Gap previous block')
      if (block.previous !== head.hash) throw new LedgerRefusal('Fork')
    } else {
      if (block.previous !== zeroHash) throw new LedgerRefusal('Gap previous block')
      if (block.link === zeroHash) throw new LedgerRefusal('Gap source block')
    }
  }

  function requireSource(block: StateBlock, amount: bigint): void {
    if (block.link === zeroHash) {
      if (amount !== 0n) throw new LedgerRefusal('Balance and amount delta do not match')
      return
    }
    if (!blocks.has(block.link)) throw new LedgerRefusal('Gap source block')
    const sent = receivable.get(block.account)?.get(block.link)
    if (!sent) throw new LedgerRefusal('Unreceivable')
    if (sent.amount !== amount) throw new LedgerRefusal('Balance and amount delta do not match')
  }

  function append(
    block: StateBlock,
    hash: string,
    effect: Pick<LedgerBlock, 'subtype' | 'amount'>,
    seenAtSeconds: number,
  ) {
    const account = accounts.get(block.account)
    const added: LedgerBlock = {
      hash,
      contents: block,
      account: block.account,
      representative: block.representative,
      seenAtSeconds,
      ...effect,
      balance: BigInt(block.balance),
      height: (account?.head.height ?? 0) + 1,
      successor: zeroHash,
    }
    blocks.set(hash, added)
    if (effect.subtype === 'send') {
      const receiver = receiverOf(block)
      const waiting = receivable.get(receiver) ?? new Map()
      receivable.set(receiver, waiting.set(hash, added))
    }
    if (effect.subtype === 'receive') receivable.get(block.account)?.delete(block.link)
    if (!account) {
      const opened = { openBlock: hash, head: added, representativeBlock: hash, confirmedHead: undefined }
      accounts.set(block.account, opened)
      return added
    }
    if (account.head.representative !== block.representative) account.representativeBlock = hash
    account.head.successor = hash
    account.head = added
    return added
  }

  return {
    add(block, seenAtSeconds) {
      const hash = hashBlock(block)
      return append(block, hash, effectOf(block, hash), seenAtSeconds)
    },
    restore(block, seenAtSeconds) {
      const before = accounts.get(block.account)?.head.balance ?? 0n
      const change = BigInt(block.balance) - before
      const subtype = change < 0n ? 'send' : block.link === zeroHash ? 'change' : 'receive'
      return append(block, hashBlock(block), { subtype, amount: change < 0n ? -change : change }, seenAtSeconds)
    },
    confirm(block) {
      const account = accounts.get(block.account)!
      const confirmedHeight = account.confirmedHead?.height ?? 0
      if (confirmedHeight >= block.height) return
      confirmedCount += block.height - confirmedHeight
      account.confirmedHead = block
    },
    isConfirmed: (block) => block.height <= (accounts.get(block.account)?.confirmedHead?.height ?? 0),
    block: (hash) => blocks.get(hash),
    counts: () => ({ count: blocks.size, confirmed: confirmedCount }),
    account: (address) => accounts.get(address),
    receivable: (address) =>
      [...(receivable.get(address)?.values() ?? [])].sort((left, right) => (left.hash < right.hash ? -1 : 1)),
  }
}
