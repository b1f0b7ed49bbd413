import type { Check } from './run-checks.ts'

// What people read is stored beside the ledger. Each query finds nothing where both agree; its rows name what is wrong.

const lastLine = (direction: string, asset: string) => `LEFT JOIN LATERAL (
    SELECT gross_total, commission_total, net_total FROM finance_lines line
    WHERE line.account_id = account.account_id AND line.direction = '${direction}' AND line.asset = '${asset}'
    ORDER BY line.position DESC LIMIT 1)`

const scopeAccounts = `SELECT DISTINCT line.account_id FROM scope_orders JOIN finance_lines line ON line.order_id = scope_orders.id`

const accountSays = 'account %s: its sales, earnings or gifts are not those of its lines'
const daySays = 'account %s: what came in on a day is not that of its lines'
const postSays = 'Post %s: its sales or tips are not those that were booked'
const commentSays = 'Comment %s: its tips or its supporters are not those that were booked'

export const figureChecks: readonly Check[] = [
  {
    says: 'order %s: what was booked and what its payer and payee are shown disagree',
    query: `SELECT DISTINCT coalesce(booked.order_id, line.order_id)::text AS name FROM (
        SELECT movement.order_id, movement.asset, side.direction, side.account_id,
          coalesce(-sum(entry.amount) FILTER (WHERE entry.account_kind = 'creator'), 0) AS net,
          coalesce(-sum(entry.amount) FILTER (WHERE entry.account_kind = 'house'), 0) AS commission
        FROM scope_orders JOIN orders ON orders.id = scope_orders.id
        JOIN ledger_movements movement ON movement.order_id = orders.id AND movement.kind IN ('sale', 'tip')
        JOIN ledger_entries entry ON entry.movement_id = movement.id
        CROSS JOIN LATERAL (VALUES ('out', orders.payer_id), ('in', orders.payee_id)) side(direction, account_id)
        WHERE side.account_id IS NOT NULL GROUP BY movement.id, side.direction, side.account_id) booked
      FULL JOIN (SELECT line.* FROM scope_orders JOIN finance_lines line ON line.order_id = scope_orders.id) line
        ON line.order_id = booked.order_id AND line.direction = booked.direction
      WHERE (booked.account_id, booked.asset, booked.net, booked.commission)
        IS DISTINCT FROM (line.account_id, line.asset, line.net_raw, line.commission_raw)`,
  },
  // Each line is compared with the one before it. Where that holds for all lines, the last one has the sum of all.
  {
    says: 'account %s: a line does not carry the sum of those before it',
    query: `SELECT DISTINCT line.account_id::text AS name
      FROM scope_orders JOIN finance_lines line ON line.order_id = scope_orders.id
      LEFT JOIN LATERAL (
        SELECT line_count, gross_total, commission_total FROM finance_lines before
        WHERE before.account_id = line.account_id AND before.direction = line.direction AND before.asset = line.asset
          AND before.position < line.position
        ORDER BY before.position DESC LIMIT 1) before ON true
      WHERE (line.line_count, line.gross_total, line.commission_total) IS DISTINCT FROM (coalesce(before.line_count, 0) + 1,
        coalesce(before.gross_total, 0) + line.gross_raw, coalesce(before.commission_total, 0) + line.commission_raw)`,
  },
  {
    says: accountSays,
    query: `SELECT account.account_id::text AS name FROM (${scopeAccounts}) account
      LEFT JOIN account_figures figures ON figures.account_id = account.account_id
      ${lastLine('in', 'XNO')} earned ON true
      ${lastLine('out', 'XNO')} given ON true
      ${lastLine('in', 'USDC')} earned_usdc ON true
      ${lastLine('out', 'USDC')} given_usdc ON true
      CROSS JOIN LATERAL (
        SELECT count(*) AS sales FROM posts post JOIN orders ON orders.post_id = post.id
        WHERE post.account_id = account.account_id AND orders.kind = 'purchase' AND orders.received_at IS NOT NULL) sold
      WHERE (figures.sales_count, figures.earned_raw, figures.given_raw, figures.earned_atomic, figures.given_atomic)
        IS DISTINCT FROM (sold.sales, coalesce(earned.net_total, 0), coalesce(given.gross_total, 0),
          coalesce(earned_usdc.net_total, 0), coalesce(given_usdc.gross_total, 0))`,
  },
  // Each day of these orders, and all days of their payees together.
  {
    says: daySays,
    query: `SELECT day.account_id::text AS name FROM (
        SELECT DISTINCT line.account_id, (orders.received_at AT TIME ZONE 'UTC')::date AS day, orders.post_id, line.asset
        FROM scope_orders JOIN orders ON orders.id = scope_orders.id
        JOIN finance_lines line ON line.order_id = orders.id AND line.direction = 'in') day
      LEFT JOIN earning_days known ON known.account_id = day.account_id AND known.day = day.day
        AND known.post_id = day.post_id AND known.asset = day.asset
      CROSS JOIN LATERAL (
        SELECT count(*) AS lines, sum(line.commission_raw) AS commission, sum(line.net_raw) AS net,
          count(*) FILTER (WHERE orders.kind = 'tip') AS tips,
          coalesce(sum(line.net_raw) FILTER (WHERE orders.kind = 'tip'), 0) AS tipped
        FROM orders JOIN finance_lines line ON line.order_id = orders.id AND line.direction = 'in'
        WHERE orders.post_id = day.post_id AND orders.kind IN ('purchase', 'tip')
          AND orders.received_at >= day.day::timestamp AT TIME ZONE 'UTC'
          AND orders.received_at < (day.day + 1)::timestamp AT TIME ZONE 'UTC'
          AND line.account_id = day.account_id AND line.asset = day.asset) counted
      WHERE (known.line_count, known.commission_raw, known.net_raw, known.tip_count, known.tip_raw)
        IS DISTINCT FROM (counted.lines, counted.commission, counted.net, counted.tips, counted.tipped)
      UNION SELECT account.account_id::text FROM (${scopeAccounts}) account
      ${lastLine('in', 'XNO')} earned ON true
      ${lastLine('in', 'USDC')} earned_usdc ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(commission_raw) FILTER (WHERE asset = 'XNO'), 0) AS commission,
          coalesce(sum(net_raw) FILTER (WHERE asset = 'XNO'), 0) AS net,
          coalesce(sum(net_raw) FILTER (WHERE asset = 'USDC'), 0) AS usdc
        FROM earning_days WHERE earning_days.account_id = account.account_id) days
      WHERE (days.commission, days.net, days.usdc) IS DISTINCT FROM (coalesce(earned.commission_total, 0),
        coalesce(earned.net_total, 0), coalesce(earned_usdc.net_total, 0))`,
  },
  {
    says: postSays,
    query: `SELECT post.id::text AS name FROM (
        SELECT DISTINCT orders.post_id AS id FROM scope_orders JOIN orders ON orders.id = scope_orders.id
        WHERE orders.received_at IS NOT NULL) post
      LEFT JOIN post_figures figures ON figures.post_id = post.id
      CROSS JOIN LATERAL (
        SELECT count(*) AS sales FROM orders
        WHERE orders.post_id = post.id AND orders.kind = 'purchase' AND orders.received_at IS NOT NULL) sold
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount_raw) FILTER (WHERE asset = 'XNO'), 0) AS raw,
          coalesce(sum(amount_raw) FILTER (WHERE asset = 'USDC'), 0) AS atomic
        FROM orders WHERE orders.post_id = post.id AND orders.kind = 'tip' AND orders.comment_id IS NULL
          AND orders.received_at IS NOT NULL) tips
      WHERE (figures.sales_count, figures.tip_total_raw, figures.tip_total_atomic)
        IS DISTINCT FROM (sold.sales, tips.raw, tips.atomic)`,
  },
  {
    says: commentSays,
    query: `SELECT DISTINCT coalesce(known.comment_id, counted.comment_id)::text AS name FROM (
        SELECT comment_id, coalesce(account_id::text, wallet) AS supporter, tip_total_raw, tip_total_atomic
        FROM comment_supporters WHERE comment_id IN (${tippedComments()})) known
      FULL JOIN (
        SELECT orders.comment_id, coalesce(orders.payer_id::text, orders.payer_wallet) AS supporter,
          coalesce(sum(amount_raw) FILTER (WHERE asset = 'XNO'), 0) AS tips,
          coalesce(sum(amount_raw) FILTER (WHERE asset = 'USDC'), 0) AS usdc_tips
        FROM orders WHERE orders.comment_id IN (${tippedComments()}) AND orders.received_at IS NOT NULL
        GROUP BY 1, 2) counted ON counted.comment_id = known.comment_id AND counted.supporter = known.supporter
      WHERE (known.tip_total_raw, known.tip_total_atomic) IS DISTINCT FROM (counted.tips, counted.usdc_tips)
      UNION SELECT comment.id::text FROM comments comment
      LEFT JOIN comment_supporters known ON known.comment_id = comment.id WHERE comment.id IN (${tippedComments()})
      GROUP BY comment.id HAVING (comment.tip_total_raw, comment.tip_total_atomic)
        <> (coalesce(sum(known.tip_total_raw), 0), coalesce(sum(known.tip_total_atomic), 0))`,
  },
]

function tippedComments(): string {
  return `SELECT orders.comment_id FROM scope_orders JOIN orders ON orders.id = scope_orders.id
    WHERE orders.comment_id IS NOT NULL AND orders.received_at IS NOT NULL`
}

/** Figures of accounts, posts and comments that have no order at all: nobody would find them from an order. */
export const strayFigureChecks: readonly Check[] = [
  {
    says: accountSays,
    query: `SELECT account_id::text AS name FROM account_figures figures
      WHERE (sales_count > 0 OR earned_raw > 0 OR given_raw > 0 OR earned_atomic > 0 OR given_atomic > 0)
        AND NOT EXISTS (SELECT FROM finance_lines line WHERE line.account_id = figures.account_id)`,
  },
  {
    says: daySays,
    query: `SELECT DISTINCT account_id::text AS name FROM earning_days days
      WHERE NOT EXISTS (SELECT FROM finance_lines line WHERE line.account_id = days.account_id AND line.direction = 'in')`,
  },
  {
    says: postSays,
    query: `SELECT post_id::text AS name FROM post_figures figures
      WHERE (sales_count > 0 OR tip_total_raw > 0 OR tip_total_atomic > 0)
        AND NOT EXISTS (SELECT FROM orders WHERE orders.post_id = figures.post_id AND orders.received_at IS NOT NULL)`,
  },
  {
    says: commentSays,
    query: `SELECT comment_id::text AS name FROM comment_supporters known
      WHERE NOT EXISTS (SELECT FROM orders WHERE orders.comment_id = known.comment_id AND orders.received_at IS NOT NULL)
      UNION SELECT id::text FROM comments comment WHERE (tip_total_raw > 0 OR tip_total_atomic > 0)
        AND NOT EXISTS (SELECT FROM comment_supporters known WHERE known.comment_id = comment.id)`,
  },
]
