import { Readable } from 'node:stream'
import type { exportTransactions as declared, FinancialItem } from '@pennypost/contract/finance'
import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import type pg from 'pg'
import type { Handler } from '../services.ts'
import { assetsOf, directionsOf, type LineQuery, readLines, readTotals } from './finance-list-store.ts'
import { itemView } from './finance-view.ts'

const linesPerRead = 500

// Every cell is a time, a number, an id, a fixed word or a handle: none needs quotes, and none starts like a formula.
const columns: readonly (readonly [heading: string, cell: (item: FinancialItem) => string | null])[] = [
  ['created_at', (item) => item.created_at],
  ['settled_at', (item) => item.settled_at],
  ['direction', (item) => item.direction],
  ['kind', (item) => item.kind],
  ['status', (item) => item.status],
  ['asset', (item) => item.asset],
  ['gross', (item) => amount(item.asset, item.gross_raw)],
  ['commission', (item) => amount(item.asset, item.commission_raw)],
  ['net', (item) => amount(item.asset, item.net_raw)],
  ['counterparty', (item) => item.counterparty?.handle ?? null],
  ['post_id', (item) => item.post_id],
  ['source_kind', (item) => item.source_kind],
  ['source_id', (item) => item.source_id],
  ['block_hash', (item) => item.block_hash],
]

export const exportTransactions: Handler<typeof declared> = async ({ pool, clock }, { caller, query, origin }) => {
  const lines: LineQuery = {
    accountId: caller.accountId,
    directions: directionsOf(query.direction),
    assets: assetsOf(query.asset),
  }
  const day = clock.now().toISOString().slice(0, 10)
  return {
    status: 200,
    headers: { 'content-disposition': `attachment; filename="transactions-${day}.csv"` },
    body: Readable.from(transactionLines(pool, lines, origin)),
  }
}

/** Lines of an account as CSV, newest first. */
export async function* transactionLines(pool: pg.Pool, query: LineQuery, origin: string): AsyncGenerator<string> {
  yield `${columns.map(([heading]) => heading).join()}\r\n`
  const totals = await readTotals(pool, query, undefined)
  let before = String(Math.max(0, ...totals.map(({ position }) => Number(position))) + 1)
  for (;;) {
    const found = await readLines(pool, query, before, linesPerRead)
    if (found.length === 0) return
    yield found.map((line) => rowOf(itemView(line, origin))).join('')
    before = found.at(-1)!.position
  }
}

const rowOf = (item: FinancialItem): string => `${columns.map(([, cell]) => cell(item) ?? '').join()}\r\n`

const amount = (asset: Asset, raw: string | null): string | null => raw && formatAmount(asset, amountOf(asset, raw))
