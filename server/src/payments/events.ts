import type { Tx } from '../platform/database/database.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { countSale, countTip } from './finance/figure-store.ts'
import { countForAccounts, writeLines } from './finance/line-store.ts'
import { tellOfMoney } from './finance/tell-of-money.job.ts'
import type { OrderRow } from './orders/order-store.ts'
import type { PayoutRow } from './payouts/payout-store.ts'
import type { PaymentServices } from './services.ts'

/** What happened to money, for those who count it or tell people of it. */
export type MoneyEvent =
  | { readonly kind: 'sale-received' | 'tip-received'; readonly order: OrderRow }
  | { readonly kind: 'payout-confirmed' | 'payout-blocked'; readonly payout: PayoutRow }

/**
 * Called once for each event, in the transaction that books it: what is counted here is true together with the money.
 * People are told by a job, so that money never waits for anybody's feed.
 */
export async function onMoney({ clock }: Pick<PaymentServices, 'clock'>, tx: Tx, event: MoneyEvent): Promise<void> {
  if ('order' in event) {
    await (event.kind === 'sale-received' ? countSale : countTip)(tx, event.order)
    await countForAccounts(tx, event.order)
    await writeLines(tx, event.order)
  }
  // Commission and logins by transfer are nobody's news.
  if ('payout' in event && event.payout.payee_id === null) return
  const id = 'order' in event ? event.order.id : event.payout.id
  await enqueue(tx, clock, tellOfMoney, { event: event.kind, id })
}
