import type { listEarnings as declared } from '@pennypost/contract/finance'
import type { Handler } from '../services.ts'
import { assetsOf } from './finance-list-store.ts'
import { itemView } from './finance-view.ts'
import { readFinanceList } from './read-finance-list.ts'

export const listEarnings: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const body = await readFinanceList(services, {
    list: 'earnings',
    lines: { accountId: caller.accountId, directions: ['in'], assets: assetsOf(query.asset) },
    limit: query.limit,
    cursor: query.cursor,
    view: (line) => itemView(line, origin),
  })
  return { status: 200, body }
}
