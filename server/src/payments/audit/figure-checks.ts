// What people read is stored beside the ledger. Each query finds nothing where both agree; its rows name what is
// wrong.

export const figureChecks: readonly { readonly says: string; readonly query: string }[] = [
  {
    says: 'order %s: what was booked and what its payer and payee are shown disagree',
    query: `SELECT DISTINCT coalesce(booked.order_id, line.order_id)::text AS name FROM (
        SELECT movement.order_id, movement.asset, side.direction, side.account_id,
          coalesce(-sum(entry.amount) FILTER (WHERE entry.account_kind = 'creator'), 0) AS net,
          coalesce(-sum(entry.amount) FILTER (WHERE entry.account_kind = 'house'), 0) AS commission
        FROM ledger_movements movement JOIN ledger_entries entry ON entry.movement_id = movement.id
        JOIN orders ON orders.id = movement.order_id
        CROSS JOIN LATERAL (VALUES ('out', orders.payer_id), ('in', orders.payee_id)) side(direction, account_id)
        WHERE movement.kind IN ('sale', 'tip') AND side.account_id IS NOT NULL GROUP BY movement.id, side.direction, side.account_id) booked
      FULL JOIN finance_lines line ON line.order_id = booked.order_id AND line.direction = booked.direction
      WHERE (booked.account_id, booked.asset, booked.net, booked.commission)
        IS DISTINCT FROM (line.account_id, line.asset, line.net_raw, line.commission_raw)`,
  },
  {
    says: 'account %s: a line does not carry the sum of those before it',
    query: `SELECT DISTINCT account_id::text AS name FROM (
        SELECT account_id, line_count, gross_total, commission_total, row_number() OVER before AS lines,
          sum(gross_raw) OVER before AS gross, sum(commission_raw) OVER before AS commission
        FROM finance_lines WINDOW before AS (PARTITION BY account_id, direction, asset ORDER BY position)) line
      WHERE (line_count, gross_total, commission_total) IS DISTINCT FROM (lines, gross, commission)`,
  },
  {
    says: 'account %s: its sales, earnings or gifts are not those of its lines',
    query: `SELECT account_id::text AS name FROM account_figures figures FULL JOIN (
        SELECT line.account_id, count(*) FILTER (WHERE direction = 'in' AND orders.kind = 'purchase') AS sales,
          coalesce(sum(net_raw) FILTER (WHERE direction = 'in' AND line.asset = 'XNO'), 0) AS earned,
          coalesce(sum(gross_raw) FILTER (WHERE direction = 'out' AND line.asset = 'XNO'), 0) AS given,
          coalesce(sum(net_raw) FILTER (WHERE direction = 'in' AND line.asset = 'USDC'), 0) AS earned_usdc,
          coalesce(sum(gross_raw) FILTER (WHERE direction = 'out' AND line.asset = 'USDC'), 0) AS given_usdc
        FROM finance_lines line JOIN orders ON orders.id = line.order_id
        GROUP BY line.account_id) counted USING (account_id)
      WHERE (coalesce(sales_count, 0), coalesce(earned_raw, 0), coalesce(given_raw, 0), coalesce(earned_atomic, 0),
          coalesce(given_atomic, 0))
        <> (coalesce(sales, 0), coalesce(earned, 0), coalesce(given, 0), coalesce(earned_usdc, 0), coalesce(given_usdc, 0))`,
  },
  {
    says: 'account %s: what came in on a day is not that of its lines',
    query: `SELECT DISTINCT account_id::text AS name FROM earning_days known FULL JOIN (
        SELECT line.account_id, (orders.received_at AT TIME ZONE 'UTC')::date AS day, orders.post_id, line.asset,
          count(*) AS lines, sum(line.commission_raw) AS commission, sum(line.net_raw) AS net
        FROM finance_lines line JOIN orders ON orders.id = line.order_id
        WHERE line.direction = 'in' GROUP BY 1, 2, 3, 4) counted USING (account_id, day, post_id, asset)
      WHERE (known.line_count, known.commission_raw, known.net_raw)
        IS DISTINCT FROM (counted.lines, counted.commission, counted.net)`,
  },
  {
    says: 'Post %s: its sales or tips are not those that were booked',
    query: `SELECT post_id::text AS name FROM post_figures figures FULL JOIN (
        SELECT orders.post_id, count(*) FILTER (WHERE orders.kind = 'purchase') AS sales,
          coalesce(sum(line.gross_raw) FILTER (WHERE orders.kind = 'tip' AND line.asset = 'XNO'), 0) AS tips,
          coalesce(sum(line.gross_raw) FILTER (WHERE orders.kind = 'tip' AND line.asset = 'USDC'), 0) AS usdc_tips
        FROM finance_lines line JOIN orders ON orders.id = line.order_id
        WHERE line.direction = 'in' AND orders.comment_id IS NULL GROUP BY orders.post_id) counted USING (post_id)
      WHERE (coalesce(sales_count, 0), coalesce(tip_total_raw, 0), coalesce(tip_total_atomic, 0))
        <> (coalesce(sales, 0), coalesce(tips, 0), coalesce(usdc_tips, 0))`,
  },
  {
    says: 'Comment %s: its tips or its supporters are not those that were booked',
    query: `SELECT DISTINCT comment_id::text AS name FROM (
        SELECT comment_id, coalesce(account_id::text, wallet) AS supporter, tip_total_raw, tip_total_atomic
        FROM comment_supporters) known FULL JOIN (
        SELECT orders.comment_id, coalesce(orders.payer_id::text, orders.payer_wallet) AS supporter,
          coalesce(sum(line.gross_raw) FILTER (WHERE line.asset = 'XNO'), 0) AS tips,
          coalesce(sum(line.gross_raw) FILTER (WHERE line.asset = 'USDC'), 0) AS usdc_tips
        FROM finance_lines line JOIN orders ON orders.id = line.order_id
        WHERE line.direction = 'in' AND orders.comment_id IS NOT NULL GROUP BY 1, 2) counted USING (comment_id, supporter)
      WHERE (known.tip_total_raw, known.tip_total_atomic) IS DISTINCT FROM (counted.tips, counted.usdc_tips)
      UNION SELECT comment.id::text FROM comments comment LEFT JOIN comment_supporters known ON known.comment_id = comment.id
      GROUP BY comment.id HAVING (comment.tip_total_raw, comment.tip_total_atomic)
        <> (coalesce(sum(known.tip_total_raw), 0), coalesce(sum(known.tip_total_atomic), 0))`,
  },
]
