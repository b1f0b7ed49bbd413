import { invalidRequest } from '@pennypost/contract/errors'
import type { FinancialItem, FinancialList } from '@pennypost/contract/finance'
import { refuse } from '../../platform/http/refuse.ts'
import type { PaymentServices } from '../services.ts'
import { type FinancePosition, readCursor, type Scope, writeCursor } from './finance-cursor.ts'
import { type LineRow, readLines, readTotals } from './finance-list-store.ts'
import { summaryView } from './finance-view.ts'

interface PageQuery extends Scope {
  readonly limit: number
  readonly cursor: string | undefined
  readonly view: (line: LineRow) => FinancialItem
}

/**
 * A page of an account's lines, with what they all add up to. The positions of one account grow in the order of its
 * commits, so that "up to the last one" is a state of the list that never changes again.
 */
export async function readFinanceList(
  { pool, secrets, clock }: PaymentServices,
  { list, lines, limit, cursor, view }: PageQuery,
): Promise<FinancialList> {
  const scope = { list, lines }
  const place = cursor === undefined ? undefined : (readCursor(secrets, scope, cursor) ?? refuseCursor())
  const asOf = place?.asOf ?? clock.now()
  const totals = await readTotals(pool, lines, place?.lastPosition)
  const lastPosition = place?.lastPosition ?? String(Math.max(0, ...totals.map(({ position }) => Number(position))))
  const before = place?.position ?? String(Number(lastPosition) + 1)
  // One more than requested shows whether there is a next page.
  const found = totals.length === 0 ? [] : await readLines(pool, lines, before, limit + 1)
  const shown = found.slice(0, limit)
  const ended: FinancePosition = { asOf, lastPosition, position: shown.at(-1)?.position ?? '0' }
  return {
    items: shown.map(view),
    ...summaryView(totals),
    pagination: {
      asOf: asOf.toISOString(),
      nextCursor: found.length > limit ? writeCursor(secrets, scope, ended) : null,
    },
  }
}

const refuseCursor = (): never =>
  refuse(invalidRequest, {
    errors: [{ field: 'cursor', code: 'invalid_format', message: 'must be the nextCursor of a page of this list' }],
  })
