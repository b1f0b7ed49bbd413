import type pg from 'pg'

interface Parties {
  readonly payerId: string
  readonly payeeId: string
  readonly postId: string
}

const amounts = `10::numeric ^ 30 * (1 + n % 7) AS gross, 10::numeric ^ 28 * 5 * (1 + n % 7) AS commission`

/**
 * Many sales from one account to another, with their lines and totals as if each had been paid: for plans and benches,
 * not for the books. Both have no lines before.
 */
export async function fillLines(client: pg.Pool | pg.ClientBase, parties: Parties, count: number): Promise<void> {
  const { payerId, payeeId, postId } = parties
  await client.query(
    `INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, next_check_at)
     SELECT 1000000000 + n, 'nano_many' || n, 'order', 1, now(), now(), 'infinity' FROM generate_series(1, $1::int) n`,
    [count],
  )
  await client.query(
    `INSERT INTO orders (id, kind, state, payer_id, payee_id, post_id, amount_raw, commission_raw, recipient, address_id,
       received_raw, created_at, expires_at, received_at)
     SELECT gen_random_uuid(), 'tip', 'received', $1, $2, $3, gross, commission, 'nano_many', 1000000000 + n, gross,
       at, at, at
     FROM (SELECT n, ${amounts}, timestamptz '2026-01-01' + n * interval '1 second' AS at FROM generate_series(1, $4::int) n) sale`,
    [payerId, payeeId, postId, count],
  )
  for (const [accountId, direction] of [
    [payerId, 'out'],
    [payeeId, 'in'],
  ]) {
    await client.query(
      `INSERT INTO finance_lines (account_id, direction, asset, order_id, gross_raw, commission_raw, net_raw, line_count,
         gross_total, commission_total, net_total)
       SELECT $1, $2, 'XNO', id, amount_raw, commission_raw, amount_raw - commission_raw, row_number() OVER before,
         sum(amount_raw) OVER before, sum(commission_raw) OVER before, sum(amount_raw - commission_raw) OVER before
       FROM orders WHERE recipient = 'nano_many' AND payee_id = $3
       WINDOW before AS (ORDER BY address_id) ORDER BY address_id`,
      [accountId, direction, payeeId],
    )
  }
  await client.query(
    `INSERT INTO payouts (id, role, state, order_id, payee_id, address_id, destination, amount, created_at)
     SELECT gen_random_uuid(), 'creator', 'waiting', id, payee_id, address_id, recipient, amount_raw - commission_raw, received_at
     FROM orders WHERE recipient = 'nano_many' AND payee_id = $1`,
    [payeeId],
  )
}
