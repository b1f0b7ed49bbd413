import type { listPayouts as declared } from '@pennypost/contract/finance'
import type { Handler } from '../services.ts'
import { payoutView } from './finance-view.ts'
import { readFinanceList } from './read-finance-list.ts'

/** Nano passes through this service, so everything received in it is owed until it is confirmed. */
export const listPayouts: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const body = await readFinanceList(services, {
    list: 'payouts',
    lines: { accountId: caller.accountId, directions: ['in'], assets: ['XNO'], owed: query.status },
    limit: query.limit,
    cursor: query.cursor,
    view: (line) => payoutView(line, origin),
  })
  return { status: 200, body }
}
