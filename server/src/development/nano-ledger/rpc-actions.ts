import { receiverOf, type StateBlock, workRootOf, zeroHash } from '@pennypost/nano/block'
import { formatWork, isWorkEnough, workThresholds, workValue } from '@pennypost/nano/work'
import { genesisHash } from './genesis.ts'
import { type LedgerBlock, LedgerRefusal, thresholds } from './ledger.ts'
import type { LedgerNode } from './ledger-node.ts'
import { accountsReceivable, receivable } from './receivable-actions.ts'
import {
  accountOf,
  accountsOf,
  blockOf,
  countOf,
  emptyAsText,
  flagOf,
  hashOf,
  type RpcRequest,
  textOf,
} from './rpc-request.ts'

type RpcReply = Record<string, unknown>
type Action = (node: LedgerNode, request: RpcRequest) => RpcReply

const accountInfo: Action = ({ ledger }, request) => {
  const account = ledger.account(accountOf(request))
  if (!account) throw new LedgerRefusal('Account not found')
  const { head, confirmedHead, openBlock, representativeBlock } = account
  const confirmedHeight = String(confirmedHead?.height ?? 0)
  const confirmedFrontier = confirmedHead?.hash ?? zeroHash
  const isConfirmedWanted = flagOf(request, 'include_confirmed')
  return {
    frontier: head.hash,
    open_block: openBlock,
    representative_block: representativeBlock,
    balance: String(head.balance),
    modified_timestamp: String(head.seenAtSeconds),
    block_count: String(head.height),
    account_version: '2',
    ...(isConfirmedWanted
      ? {
          confirmed_balance: String(confirmedHead?.balance ?? 0),
          confirmed_height: confirmedHeight,
          confirmed_frontier: confirmedFrontier,
        }
      : { confirmation_height: confirmedHeight, confirmation_height_frontier: confirmedFrontier }),
    ...(flagOf(request, 'representative') && {
      representative: head.representative,
      ...(isConfirmedWanted && { confirmed_representative: confirmedHead?.representative ?? head.representative }),
    }),
    ...((flagOf(request, 'receivable') || flagOf(request, 'pending')) && receivableTotals(ledger, accountOf(request))),
  }
}

const accountBalance: Action = ({ ledger }, request) => {
  const account = accountOf(request)
  const balance = ledger.account(account)?.head.balance ?? 0n
  return { balance: String(balance), ...receivableTotals(ledger, account) }
}

const accountsBalances: Action = ({ ledger }, request) => {
  const entries = accountsOf(request).map((account) => {
    const balance = ledger.account(account)?.confirmedHead?.balance ?? 0n
    return [account, { balance: String(balance), ...receivableTotals(ledger, account) }] as const
  })
  return { balances: Object.fromEntries(entries) }
}

const accountsFrontiers: Action = ({ ledger }, request) => {
  const accounts = accountsOf(request)
  const found = accounts.flatMap((account) => {
    const opened = ledger.account(account)
    return opened ? [[account, opened.head.hash] as const] : []
  })
  const missing = accounts.filter((account) => !ledger.account(account))
  return {
    frontiers: emptyAsText(Object.fromEntries(found)),
    ...(missing.length > 0 && { errors: Object.fromEntries(missing.map((each) => [each, 'Account not found'])) }),
  }
}

/** The confirmed total that an account can receive, also under its old name `pending`. */
function receivableTotals(ledger: LedgerNode['ledger'], account: string): RpcReply {
  const confirmed = ledger.receivable(account).filter((block) => ledger.isConfirmed(block))
  const total = String(confirmed.reduce((sum, block) => sum + block.amount, 0n))
  return { pending: total, receivable: total }
}

const blockInfo: Action = (node, request) => {
  const block = node.ledger.block(hashOf(textOf(request, 'hash')))
  if (!block) throw new LedgerRefusal('Block not found')
  return describeBlock(node, block, flagOf(request, 'json_block'))
}

const blocksInfo: Action = (node, request) => {
  const hashes = Array.isArray(request.hashes) ? request.hashes.map(hashOf) : []
  const missing = hashes.filter((hash) => !node.ledger.block(hash))
  const reportsMissing = flagOf(request, 'include_not_found')
  if (missing.length > 0 && !reportsMissing) throw new LedgerRefusal('Block not found')
  const isJson = flagOf(request, 'json_block')
  const found = hashes.flatMap((hash) => node.ledger.block(hash) ?? [])
  return {
    blocks: emptyAsText(Object.fromEntries(found.map((block) => [block.hash, describeBlock(node, block, isJson)]))),
    ...(reportsMissing && { blocks_not_found: emptyAsText(missing) }),
  }
}

function describeBlock({ ledger }: LedgerNode, block: LedgerBlock, isJson: boolean): RpcReply {
  const contents = contentsOf(block)
  return {
    block_account: block.account,
    amount: String(block.amount),
    balance: String(block.balance),
    height: String(block.height),
    local_timestamp: String(block.seenAtSeconds),
    successor: block.successor,
    confirmed: String(ledger.isConfirmed(block)),
    contents: isJson ? contents : JSON.stringify(contents, undefined, 4),
    ...(block.contents.type === 'state' && { subtype: block.subtype }),
  }
}

export const contentsOf = ({ contents }: LedgerBlock): RpcReply =>
  contents.type === 'state' ? { ...contents, link_as_account: receiverOf(contents) } : { ...contents }

/** Lists an account's blocks, newest first. Blocks that move no money are left out. */
const accountHistory: Action = ({ ledger }, request) => {
  const account = accountOf(request)
  const count = countOf(request, 'count', undefined)
  const offset = countOf(request, 'offset', 0)
  const head = request.head === undefined ? ledger.account(account)?.head : ledger.block(hashOf(request.head))
  const history: RpcReply[] = []
  let block = head
  for (let skipped = 0; block && history.length < count; block = previousOf(ledger, block)) {
    if (block.subtype === 'change') continue
    if (skipped++ < offset) continue
    history.push({
      type: block.subtype,
      account: counterpartOf(ledger, block),
      amount: String(block.amount),
      local_timestamp: String(block.seenAtSeconds),
      height: String(block.height),
      hash: block.hash,
      confirmed: String(ledger.isConfirmed(block)),
    })
  }
  return { account, history: emptyAsText(history), ...(block && { previous: block.hash }) }
}

const previousOf = (ledger: LedgerNode['ledger'], { contents }: LedgerBlock): LedgerBlock | undefined =>
  contents.type === 'state' ? ledger.block(contents.previous) : undefined

function counterpartOf(ledger: LedgerNode['ledger'], { contents, subtype, account }: LedgerBlock): string {
  if (contents.type !== 'state') return account
  return subtype === 'send' ? receiverOf(contents) : ledger.block(contents.link)!.account
}

const processBlock: Action = (node, request) => {
  const block = blockOf(request)
  const subtype = textOf(request, 'subtype')
  if (subtype !== undefined) requireSubtype(node, block, subtype)
  // Too little work for any block at all. A node has a different message for this than for too little work for one type
  // of block.
  if (!isWorkEnough(workRootOf(block), block.work, thresholds.receive)) {
    throw new LedgerRefusal('Block work is less than threshold')
  }
  const { hash } = node.process(block)
  return flagOf(request, 'async') ? { started: '1' } : { hash }
}

/**
 * Checks that the block matches the given subtype. Like a real node, this compares with the account's current balance.
 * So a send that is published a second time fails here instead of being reported as old.
 */
function requireSubtype({ ledger }: LedgerNode, block: StateBlock, subtype: string): void {
  const isFirst = block.previous === zeroHash
  if (!isFirst && !ledger.block(block.previous)) throw new LedgerRefusal('Gap previous block')
  const change = BigInt(block.balance) - (ledger.account(block.account)?.head.balance ?? 0n)
  const rules: Record<string, [isBalance: boolean, isPrevious: boolean]> = {
    send: [change < 0n, true],
    receive: [change >= 0n, true],
    open: [true, isFirst],
    change: [change === 0n, !isFirst],
  }
  const rule = rules[subtype]
  if (!rule) throw new LedgerRefusal(subtype === 'epoch' ? 'Invalid epoch link' : 'Invalid block subtype')
  if (!rule[0]) throw new LedgerRefusal('Invalid block balance for given subtype')
  if (!rule[1]) throw new LedgerRefusal('Invalid previous block for given subtype')
}

const pairsPerSearch = 1 << 12
// A node computes up to 64 times the work that a send needs.
const hardest = 2n ** 64n - (2n ** 64n - thresholds.send) / 64n

const generateWork: Action = ({ search }, request) => {
  const hash = hashOf(textOf(request, 'hash'))
  const difficulty = textOf(request, 'difficulty') ?? formatWork(thresholds.send)
  if (!/^[0-9a-fA-F]{1,16}$/.test(difficulty)) throw new LedgerRefusal('Bad difficulty')
  const threshold = BigInt(`0x${difficulty}`)
  if (threshold > hardest || threshold < thresholds.receive) {
    throw new LedgerRefusal('Difficulty above config limit or below publish threshold')
  }
  let work: string | undefined
  for (let first = 0n; work === undefined; first += 2n * BigInt(pairsPerSearch)) {
    work = search(hash, threshold, first, pairsPerSearch)
  }
  const value = workValue(hash, work)!
  const multiplier = Number(2n ** 64n - workThresholds.dev.send) / Number(2n ** 64n - value)
  return { hash, work, difficulty: formatWork(value), multiplier: String(multiplier) }
}

const version: Action = () => ({
  rpc_version: '1',
  store_version: '24',
  protocol_version: '21',
  node_vendor: 'Pennypost development ledger',
  network: 'dev',
  network_identifier: genesisHash,
})

const blockCount: Action = ({ ledger }) => {
  const { count, confirmed } = ledger.counts()
  return { count: String(count), unchecked: '0', cemented: String(confirmed) }
}

/** The RPC actions that the ledger supports. */
export const actions: ReadonlyMap<string, Action> = new Map(
  Object.entries({
    account_info: accountInfo,
    account_balance: accountBalance,
    accounts_balances: accountsBalances,
    accounts_frontiers: accountsFrontiers,
    receivable,
    pending: receivable,
    accounts_receivable: accountsReceivable,
    block_info: blockInfo,
    blocks_info: blocksInfo,
    account_history: accountHistory,
    process: processBlock,
    work_generate: generateWork,
    version,
    block_count: blockCount,
  }),
)
