import type { listTransactions as declared } from '@pennypost/contract/finance'
import type { Handler } from '../services.ts'
import { assetsOf, directionsOf } from './finance-list-store.ts'
import { itemView } from './finance-view.ts'
import { readFinanceList } from './read-finance-list.ts'

export const listTransactions: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const { limit, cursor, direction, asset } = query
  const body = await readFinanceList(services, {
    list: 'transactions',
    lines: { accountId: caller.accountId, directions: directionsOf(direction), assets: assetsOf(asset) },
    limit,
    cursor,
    view: (line) => itemView(line, origin),
  })
  return { status: 200, body }
}
