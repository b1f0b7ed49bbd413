import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'
import type { OrderRow } from '../orders/order-store.ts'

// What readers see of money: counted in the transaction that books it. A Post's figures are locked before the Post and
// its Comments (decision 14).

export async function countSale(tx: Tx, { post_id: postId }: OrderRow): Promise<void> {
  await sql`
    INSERT INTO post_figures (post_id, sales_count) VALUES (${postId}, 1)
    ON CONFLICT (post_id) DO UPDATE SET sales_count = post_figures.sales_count + 1`.execute(tx)
}

/** Of a Post, or of a Comment and its supporter: a Comment's tips are not its Post's. */
export async function countTip(tx: Tx, order: OrderRow): Promise<void> {
  const { post_id: postId, comment_id: commentId, payer_id: payerId, amount_raw: amount } = order
  if (commentId === null)
    await sql`
      INSERT INTO post_figures (post_id, tip_total_raw) VALUES (${postId}, ${amount})
      ON CONFLICT (post_id) DO UPDATE SET tip_total_raw = post_figures.tip_total_raw + excluded.tip_total_raw`.execute(
      tx,
    )
  else
    await sql`
      INSERT INTO comment_supporters AS known (comment_id, account_id, tip_total_raw)
      VALUES (${commentId}, ${payerId}, ${amount})
      ON CONFLICT (comment_id, account_id) DO UPDATE SET tip_total_raw = known.tip_total_raw + excluded.tip_total_raw`.execute(
      tx,
    )
}
