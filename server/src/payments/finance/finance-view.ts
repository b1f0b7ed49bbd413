import type { FinancialItem, FinancialList } from '@pennypost/contract/finance'
import type { Asset } from '@pennypost/contract/money'
import { maybePersonView } from '../../accounts/person-view.ts'
import type { AssetTotal, LineRow } from './finance-list-store.ts'

/** A line as the lists of transactions and earnings show it. */
export const itemView = (line: LineRow, origin: string): FinancialItem => ({
  source_kind: line.kind,
  source_id: line.order_id,
  kind: line.kind === 'tip' ? 'tip' : line.direction === 'in' ? 'sale' : 'purchase',
  direction: line.direction,
  asset: line.asset,
  status: line.state,
  gross_raw: line.gross_raw,
  commission_raw: line.commission_raw,
  net_raw: line.net_raw,
  post_id: line.post_id,
  post_title: line.post_title,
  counterparty: maybePersonView(line, origin),
  created_at: line.received_at.toISOString(),
  settled_at: line.paid_at?.toISOString() ?? null,
  block_hash: line.block_hash,
  // Only the payee sees what is owed.
  resolution_eligible: line.direction === 'in' && line.payout_state === 'blocked',
})

/** The same line in the list of payouts. */
export const payoutView = (line: LineRow, origin: string): FinancialItem => ({
  ...itemView(line, origin),
  kind: 'payout',
  status: line.payout_state ?? 'confirmed',
})

export function summaryView(totals: readonly AssetTotal[]): Pick<FinancialList, 'total' | 'summary'> {
  const XNO = totalOf('XNO', totals)
  const USDC = totalOf('USDC', totals)
  return { total: XNO.count + USDC.count, summary: { XNO, USDC } }
}

function totalOf(asset: Asset, totals: readonly AssetTotal[]) {
  const rows = totals.filter((row) => row.asset === asset)
  const sum = (of: (row: AssetTotal) => string) => rows.reduce((total, row) => total + BigInt(of(row)), 0n)
  return {
    count: Number(sum((row) => row.line_count)),
    gross_raw: sum((row) => row.gross_total).toString(),
    commission_raw: sum((row) => row.commission_total).toString(),
    net_raw: sum((row) => row.net_total).toString(),
  }
}
