import type { listTransactions as declared } from '@pennypost/contract/finance'
import type { Handler } from '../../services.ts'
import { itemView } from './finance-view.ts'
import { readFinanceList } from './read-finance-list.ts'

export const listTransactions: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const { limit, cursor, direction } = query
  const body = await readFinanceList(services, {
    scope: { list: 'transactions', accountId: caller.accountId, direction },
    lines: { directions: direction ? [direction] : ['in', 'out'], assets: ['XNO', 'USDC'] },
    limit,
    cursor,
    view: (line) => itemView(line, origin),
  })
  return { status: 200, body }
}
