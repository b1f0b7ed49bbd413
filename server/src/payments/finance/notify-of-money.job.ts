import { sql } from 'kysely'
import { z } from 'zod'
import type { News } from '../../notifications/news.ts'
import { tell } from '../../notifications/tell.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { Job } from '../services.ts'
import { blockedNews, type OrderNews, type PayoutNews, paidNews, saleNews, tipNews } from './money-news.ts'

const events = ['sale-received', 'tip-received', 'payout-confirmed', 'payout-blocked'] as const
const payload = z.object({ event: z.enum(events), id: z.uuid() })

interface Told {
  readonly recipientId: string
  readonly news: News
}

/** Notifies the account that a sale, a tip, a payout or a refund concerns. */
export const notifyOfMoney: Job<typeof payload> = {
  name: 'notify-of-money',
  payload,
  attempts: 20,
  async run(services, { event, id }) {
    await services.db.transaction().execute(async (tx) => {
      const isOrder = event === 'sale-received' || event === 'tip-received'
      const told = isOrder ? await orderTold(tx, id) : await payoutTold(tx, id, event)
      if (told) await tell(tx, services, told.news, [{ recipientId: told.recipientId }])
    })
  },
}

async function orderTold(tx: Tx, id: string): Promise<Told> {
  const { rows } = await sql<OrderNews>`
    SELECT orders.id, orders.kind, orders.payer_id, orders.payee_id, orders.asset, payer.name AS payer_name, orders.post_id,
      post.title AS post_title, orders.comment_id, orders.message, orders.amount_raw, orders.commission_raw
    FROM orders JOIN posts post ON post.id = orders.post_id
    LEFT JOIN accounts payer ON payer.id = orders.payer_id WHERE orders.id = ${id}`.execute(tx)
  const order = rows[0]!
  return { recipientId: order.payee_id, news: order.kind === 'tip' ? tipNews(order) : saleNews(order) }
}

/** Undefined: the payout was blocked, and is no longer. */
async function payoutTold(tx: Tx, id: string, event: 'payout-confirmed' | 'payout-blocked'): Promise<Told | undefined> {
  const { rows } = await sql<PayoutNews>`
    SELECT payout.id, payout.role, payout.state, payout.payee_id, payout.amount, payout.destination, payout.block_hash,
      payout.bound_revision, payout.order_id, orders.kind AS order_kind, orders.post_id, post.title AS post_title
    FROM payouts payout JOIN orders ON orders.id = payout.order_id
    JOIN posts post ON post.id = orders.post_id WHERE payout.id = ${id}`.execute(tx)
  const payout = rows[0]!
  if (event === 'payout-confirmed') return { recipientId: payout.payee_id, news: paidNews(payout) }
  return payout.state === 'blocked' ? { recipientId: payout.payee_id, news: blockedNews(payout) } : undefined
}
