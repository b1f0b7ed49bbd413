import type { Ledger, LedgerBlock } from './ledger.ts'
import type { LedgerNode } from './ledger-node.ts'
import { accountOf, accountsOf, countOf, emptyAsText, flagOf, type RpcRequest, thresholdOf } from './rpc-request.ts'

type RpcReply = Record<string, unknown>

const all = Number.POSITIVE_INFINITY

/**
 * Lists what an account can receive. As on a real node, the shape of the reply depends on the request's flags. Without
 * `sorting` it is ordered by hash, so tiny payments can fill the whole count.
 */
export function receivable({ ledger }: LedgerNode, request: RpcRequest): RpcReply {
  const found = sorted(waitingAt(ledger, accountOf(request), request), request)
  const offset = countOf(request, 'offset', 0)
  return { blocks: listed(found.slice(offset, offset + countOf(request, 'count', all)), request) }
}

/**
 * The same for many accounts. Accounts with nothing to receive are left out. A real node limits the count before it
 * sorts, so tiny payments can fill the count even with `sorting`.
 */
export function accountsReceivable({ ledger }: LedgerNode, request: RpcRequest): RpcReply {
  const count = countOf(request, 'count', all)
  const entries = accountsOf(request).flatMap((account) => {
    const found = sorted(waitingAt(ledger, account, request).slice(0, count), request)
    return found.length > 0 ? [[account, listed(found, request)] as const] : []
  })
  return { blocks: emptyAsText(Object.fromEntries(entries)) }
}

function waitingAt(ledger: Ledger, account: string, request: RpcRequest): LedgerBlock[] {
  const threshold = thresholdOf(request)
  const showsUnconfirmed = !flagOf(request, 'include_only_confirmed', true) && flagOf(request, 'include_active')
  return ledger
    .receivable(account)
    .filter((block) => block.amount >= threshold && (showsUnconfirmed || ledger.isConfirmed(block)))
}

const sorted = (blocks: LedgerBlock[], request: RpcRequest): LedgerBlock[] =>
  flagOf(request, 'sorting') ? blocks.sort((left, right) => (left.amount < right.amount ? 1 : -1)) : blocks

function listed(blocks: readonly LedgerBlock[], request: RpcRequest): unknown {
  const withSource = flagOf(request, 'source')
  const withAmount = withSource || thresholdOf(request) > 0n || flagOf(request, 'sorting')
  if (!withAmount) return emptyAsText(blocks.map(({ hash }) => hash))
  const entry = ({ hash, amount, account }: LedgerBlock) =>
    [hash, withSource ? { amount: String(amount), source: account } : String(amount)] as const
  return emptyAsText(Object.fromEntries(blocks.map(entry)))
}
