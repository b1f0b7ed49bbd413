// USDC goes straight to its creator: what the books say of it is held against the payments that were made. Each query
// finds nothing where both say the same; its rows name what is wrong.

export const usdcChecks: readonly { readonly says: string; readonly query: string }[] = [
  {
    says: 'payment %s is settled, and its sale is not what was paid',
    query: `SELECT payment.id::text AS name FROM x402_payments payment
      LEFT JOIN payment_sessions session ON session.id = payment.session_id
      WHERE payment.network = 'eip155:8453' AND payment.state = 'settled'
        AND (session.asset, session.state, session.amount_raw, session.recipient, session.payer_wallet,
            session.transaction, session.post_id, session.payee_id)
          IS DISTINCT FROM ('USDC', 'paid', payment.amount, payment.pay_to, payment.payer,
            payment.transaction, payment.post_id, payment.payee_id)`,
  },
  {
    says: 'payment %s is not settled, and has a sale',
    query: `SELECT id::text AS name FROM x402_payments
      WHERE network = 'eip155:8453' AND state <> 'settled' AND session_id IS NOT NULL`,
  },
  {
    says: 'session %s: its USDC was not paid by exactly one payment',
    query: `SELECT session.id::text AS name FROM payment_sessions session
      LEFT JOIN x402_payments payment ON payment.session_id = session.id AND payment.state = 'settled'
      WHERE session.asset = 'USDC' GROUP BY session.id HAVING count(payment.id) <> 1`,
  },
  {
    says: 'session %s: its USDC is not booked once as it came and once as it went to its creator',
    query: `SELECT session.id::text AS name FROM payment_sessions session
      LEFT JOIN ledger_movements movement ON movement.session_id = session.id AND movement.asset = 'USDC'
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'outside'
      WHERE session.asset = 'USDC' GROUP BY session.id HAVING count(DISTINCT movement.id) <> 2
        OR count(*) FILTER (WHERE movement.kind = 'sale' AND entry.account_ref = session.payer_wallet
          AND entry.amount = session.amount_raw) <> 1
        OR count(*) FILTER (WHERE movement.kind = 'payout' AND entry.account_ref = session.recipient
          AND entry.amount = -session.amount_raw) <> 1`,
  },
  {
    says: 'movement %s is in USDC, and nothing was sold for it',
    query: `SELECT movement.cause AS name FROM ledger_movements movement
      LEFT JOIN payment_sessions session ON session.id = movement.session_id AND session.asset = 'USDC'
      WHERE movement.asset = 'USDC' AND session.id IS NULL`,
  },
]
