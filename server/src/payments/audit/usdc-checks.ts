import type { Check } from './run-checks.ts'

// USDC goes straight to its creator, so the books are compared with the payments that were made. Each query
// finds nothing where both agree; its rows name what is wrong.

const paymentOfSale = 'payment %s is settled, and its sale or tip is not what was paid'

export const usdcChecks: readonly Check[] = [
  {
    says: paymentOfSale,
    query: `SELECT payment.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      JOIN x402_payments payment ON payment.order_id = orders.id
      WHERE payment.network = 'eip155:8453' AND payment.state = 'settled'
        AND (orders.asset, orders.state, orders.amount_raw, orders.recipient, orders.payer_wallet,
            orders.transaction, orders.post_id, orders.payee_id, orders.comment_id, orders.kind)
          IS DISTINCT FROM ('USDC', 'paid', payment.amount, payment.pay_to, payment.payer,
            payment.transaction, payment.post_id, payment.payee_id, payment.comment_id,
            CASE payment.purpose WHEN 'tip' THEN 'tip' ELSE 'purchase' END)`,
  },
  {
    says: 'order %s: its USDC was not paid by exactly one payment',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      LEFT JOIN x402_payments payment ON payment.order_id = orders.id AND payment.state = 'settled'
      WHERE orders.asset = 'USDC' GROUP BY orders.id HAVING count(payment.id) <> 1`,
  },
  {
    says: 'order %s: its USDC is not booked once as it came and once as it went to its creator',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      LEFT JOIN ledger_movements movement ON movement.order_id = orders.id AND movement.asset = 'USDC'
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'outside'
      WHERE orders.asset = 'USDC' GROUP BY orders.id HAVING count(DISTINCT movement.id) <> 2
        OR count(*) FILTER (WHERE movement.kind = CASE orders.kind WHEN 'tip' THEN 'tip' ELSE 'sale' END
          AND entry.account_ref = orders.payer_wallet
          AND entry.amount = orders.amount_raw) <> 1
        OR count(*) FILTER (WHERE movement.kind = 'payout' AND entry.account_ref = orders.recipient
          AND entry.amount = -orders.amount_raw) <> 1`,
  },
  {
    says: 'movement %s is in USDC, and nothing was sold for it',
    query: `SELECT movement.cause AS name FROM scope_movements
      JOIN ledger_movements movement ON movement.id = scope_movements.id
      LEFT JOIN orders ON orders.id = movement.order_id AND orders.asset = 'USDC'
      WHERE movement.asset = 'USDC' AND orders.id IS NULL`,
  },
]

/** Payments that no order leads to. */
export const strayUsdcChecks: readonly Check[] = [
  {
    says: paymentOfSale,
    query: `SELECT id::text AS name FROM x402_payments
      WHERE network = 'eip155:8453' AND state = 'settled' AND order_id IS NULL`,
  },
  {
    says: 'payment %s is not settled, and has a sale',
    query: `SELECT id::text AS name FROM x402_payments
      WHERE network = 'eip155:8453' AND state <> 'settled' AND order_id IS NOT NULL`,
  },
]
