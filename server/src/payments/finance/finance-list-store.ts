import type { Asset } from '@pennypost/contract/money'
import type pg from 'pg'
import { type MaybePersonRow, maybePersonJoin, personColumns } from '../../accounts/person-view.ts'
import { readRows, type Statement } from '../../platform/database/database.ts'
import type { OrderKind } from '../orders/order-store.ts'
import type { PayoutState } from '../payouts/payout-store.ts'

// Lines are found by account, direction and asset, the latest first: a page reads no more lines than it shows of
// each, and a total is read from one line, however long the list is.

export interface LineQuery {
  readonly accountId: string
  readonly directions: readonly ('in' | 'out')[]
  readonly assets: readonly Asset[]
  /** Only what is still owed, in this state. */
  readonly owed?: 'waiting' | 'blocked' | undefined
}

export const assetsOf = (asset: Asset | undefined): readonly Asset[] => (asset ? [asset] : ['XNO', 'USDC'])

export const directionsOf = (direction: 'in' | 'out' | undefined): readonly ('in' | 'out')[] =>
  direction ? [direction] : ['in', 'out']

/** The totals of lines of one asset. */
export interface AssetTotal {
  readonly asset: Asset
  readonly line_count: string
  readonly gross_total: string
  readonly commission_total: string
  readonly net_total: string
}

/** The totals up to a position. */
interface TotalRow extends AssetTotal {
  readonly position: string
}

export const totalsOfLines: Statement<TotalRow> = {
  name: 'finance-totals',
  text: `SELECT asset.asset, line.* FROM unnest($2::text[]) AS direction(direction)
    CROSS JOIN unnest($3::text[]) AS asset(asset)
    CROSS JOIN LATERAL (
      SELECT position, line_count, gross_total, commission_total, net_total FROM finance_lines
      WHERE account_id = $1 AND direction = direction.direction AND asset = asset.asset AND position <= $4
      ORDER BY position DESC LIMIT 1) line`,
}

export interface LineRow extends MaybePersonRow {
  readonly position: string
  readonly direction: 'in' | 'out'
  readonly asset: Asset
  readonly gross_raw: string
  readonly commission_raw: string
  readonly net_raw: string
  readonly order_id: string
  readonly kind: OrderKind
  readonly state: 'received' | 'paid'
  readonly post_id: string
  readonly post_title: string
  readonly received_at: Date
  readonly paid_at: Date | null
  /** Null where there was nothing to pay out. */
  readonly payout_state: PayoutState | null
  readonly block_hash: string | null
}

/** Selects lines with everything that is shown of them. */
const shown = (lines: string): string => `SELECT line.position, line.direction, line.asset, line.gross_raw,
      line.commission_raw, line.net_raw, line.order_id, orders.kind, orders.state, orders.post_id,
      post.title AS post_title, orders.received_at, orders.paid_at, payout.state AS payout_state,
      coalesce(payout.block_hash, orders.transaction) AS block_hash, ${personColumns}
    FROM (${lines}) line
    JOIN orders ON orders.id = line.order_id
    JOIN posts post ON post.id = orders.post_id
    LEFT JOIN payouts payout ON payout.order_id = orders.id AND payout.role = 'creator'
    ${maybePersonJoin("CASE line.direction WHEN 'in' THEN orders.payer_id ELSE orders.payee_id END")}
    ORDER BY line.position DESC`

export const pageOfLines: Statement<LineRow> = {
  name: 'finance-page',
  text: shown(`SELECT found.* FROM unnest($2::text[]) AS direction(direction) CROSS JOIN unnest($3::text[]) AS asset(asset)
      CROSS JOIN LATERAL (
        SELECT * FROM finance_lines
        WHERE account_id = $1 AND direction = direction.direction AND asset = asset.asset AND position < $4
        ORDER BY position DESC LIMIT $5) found
      ORDER BY found.position DESC LIMIT $5`),
}

// Little is owed at any time, because it is paid soon: it is found from the payouts and added up.
const owedLines = `payouts owed JOIN finance_lines line ON line.order_id = owed.order_id AND line.direction = 'in'
    WHERE owed.payee_id = $1 AND owed.role = 'creator' AND owed.state = $2 AND owed.state <> 'confirmed'`

const pageOfOwed: Statement<LineRow> = {
  name: 'finance-owed-page',
  text: shown(`SELECT line.* FROM ${owedLines} AND line.position < $3 ORDER BY line.position DESC LIMIT $4`),
}

const totalsOfOwed: Statement<TotalRow> = {
  name: 'finance-owed-totals',
  text: `SELECT line.asset, max(line.position)::text AS position, count(*)::text AS line_count,
      sum(line.gross_raw)::text AS gross_total, sum(line.commission_raw)::text AS commission_total,
      sum(line.net_raw)::text AS net_total
    FROM ${owedLines} AND line.position <= $3 GROUP BY line.asset`,
}

/** Above every position. */
const endOfLines = '9223372036854775807'

/** The last line of each direction and asset, up to a position if one is given. */
export const readTotals = (pool: pg.Pool, query: LineQuery, upTo = endOfLines): Promise<TotalRow[]> =>
  query.owed
    ? readRows(pool, totalsOfOwed, [query.accountId, query.owed, upTo])
    : readRows(pool, totalsOfLines, [query.accountId, query.directions, query.assets, upTo])

/** Lines before a position, the latest first. */
export const readLines = (pool: pg.Pool, query: LineQuery, before: string, limit: number): Promise<LineRow[]> =>
  query.owed
    ? readRows(pool, pageOfOwed, [query.accountId, query.owed, before, limit])
    : readRows(pool, pageOfLines, [query.accountId, query.directions, query.assets, before, limit])
