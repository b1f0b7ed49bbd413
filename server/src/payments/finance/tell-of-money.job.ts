import { sql } from 'kysely'
import { z } from 'zod'
import type { News } from '../../notifications/news.ts'
import { tell } from '../../notifications/tell.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { Job } from '../../services.ts'
import { blockedNews, type PayoutNews, paidNews, type SessionNews, saleNews, tipNews } from './money-news.ts'

const events = ['sale-received', 'tip-received', 'payout-confirmed', 'payout-blocked'] as const
const payload = z.object({ event: z.enum(events), id: z.uuid() })

interface Told {
  readonly recipientId: string
  readonly news: News
}

/** Tells whom it concerns of a sale, a tip, a payout or a refund. */
export const tellOfMoney: Job<typeof payload> = {
  name: 'tell-of-money',
  payload,
  attempts: 20,
  async run(services, { event, id }) {
    await services.db.transaction().execute(async (tx) => {
      const isSession = event === 'sale-received' || event === 'tip-received'
      const told = isSession ? await sessionTold(tx, id) : await payoutTold(tx, id, event)
      if (told) await tell(tx, services, told.news, [{ recipientId: told.recipientId }])
    })
  },
}

async function sessionTold(tx: Tx, id: string): Promise<Told> {
  const { rows } = await sql<SessionNews>`
    SELECT session.id, session.kind, session.payer_id, session.payee_id, session.asset, payer.name AS payer_name, session.post_id,
      post.title AS post_title, session.comment_id, session.message, session.amount_raw, session.commission_raw
    FROM payment_sessions session JOIN posts post ON post.id = session.post_id
    LEFT JOIN accounts payer ON payer.id = session.payer_id WHERE session.id = ${id}`.execute(tx)
  const session = rows[0]!
  return { recipientId: session.payee_id, news: session.kind === 'tip' ? tipNews(session) : saleNews(session) }
}

/** Undefined: it was blocked, and is not any more. */
async function payoutTold(tx: Tx, id: string, event: 'payout-confirmed' | 'payout-blocked'): Promise<Told | undefined> {
  const { rows } = await sql<PayoutNews>`
    SELECT payout.id, payout.role, payout.state, payout.payee_id, payout.amount, payout.destination, payout.block_hash,
      payout.bound_revision, payout.session_id, session.kind AS session_kind, session.post_id, post.title AS post_title
    FROM payouts payout JOIN payment_sessions session ON session.id = payout.session_id
    JOIN posts post ON post.id = session.post_id WHERE payout.id = ${id}`.execute(tx)
  const payout = rows[0]!
  if (event === 'payout-confirmed') return { recipientId: payout.payee_id, news: paidNews(payout) }
  return payout.state === 'blocked' ? { recipientId: payout.payee_id, news: blockedNews(payout) } : undefined
}
