import { nanoAddress, parseNanoAddress } from '../nano/dist/address.js'
import { withClient } from './postgres.mjs'

// Sales with everything that the books have of them: each was paid at its own address, split, and paid out.

// Keys begin with this, which distinguishes the addresses from those of the service. What follows is the number of the
// sale.
const keyPrefix = 'BE'.repeat(24)
const addressOf = (number) => nanoAddress(Buffer.from(`${keyPrefix}${number.toString(16).padStart(16, '0')}`, 'hex'))
const lastStep = 4

/** The address of a block, as a node names it. */
export const keyOfHash = (hash) => nanoAddress(Buffer.from(`BE${hash.slice(2)}`, 'hex'))

/** The last block of an address, or undefined if no sale is at it. */
export function lastHashOf(account) {
  const key = Buffer.from(parseNanoAddress(account)).toString('hex').toUpperCase()
  return key.startsWith(keyPrefix) ? `0${lastStep}${key.slice(2)}` : undefined
}

const payers = 2_000
const chunk = 50_000
// 0.25 XNO, of which 5 % are commission.
const gross = '250000000000000000000000000000'
const commission = '12500000000000000000000000000'

/** Adds sales with these numbers to a database that has nothing else. */
export async function loadSales(databaseUrl, from, to) {
  await withClient(databaseUrl, async (client) => {
    // The rows are consistent, so triggers and foreign keys have nothing to do.
    await client.query('SET session_replication_role = replica')
    await client.query('SET synchronous_commit = off')
    const indexes = from === 1 ? await dropIndexes(client) : []
    if (from === 1) await addPeople(client)
    for (let first = from; first <= to; first += chunk) await addSales(client, first, Math.min(to, first + chunk - 1))
    for (const definition of indexes) await client.query(definition)
    await client.query('ANALYZE')
    await countFigures(client)
    await client.query('VACUUM ANALYZE')
  })
}

/** Building an index is several times cheaper than adding to it. Returns the statements that build them again. */
async function dropIndexes(client) {
  const { rows } =
    await client.query(`SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid IN ('orders'::regclass, 'order_arrivals'::regclass, 'entitlements'::regclass, 'nano_addresses'::regclass,
      'nano_arrivals'::regclass, 'nano_sends'::regclass, 'nano_blocks'::regclass, 'payouts'::regclass, 'ledger_movements'::regclass,
      'ledger_entries'::regclass, 'finance_lines'::regclass)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`)
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  // PostgreSQL defines the index of a table with partitions as one of the table alone.
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}

async function addPeople(client) {
  await client.query(`INSERT INTO accounts (id, name, handle, created_at)
    SELECT md5('payer' || n)::uuid, 'Somebody', 'audited' || n, now() FROM generate_series(0, ${payers - 1}) n`)
  // A thousand posts by a hundred of them.
  await client.query(`INSERT INTO posts (id, account_id, slug, title, renderer_version, created_at, updated_us)
    SELECT md5('post' || n)::uuid, md5('payer' || n % 100)::uuid, 'audited' || n, 'On engines', 1, now(), 1 FROM generate_series(0, 999) n`)
}

async function addSales(client, first, last) {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  await client.query('BEGIN')
  await client.query(
    `CREATE TEMP TABLE sale ON COMMIT DROP AS
     SELECT given.n, given.address, nextval(pg_get_serial_sequence('nano_addresses', 'id')) AS address_id,
       md5('order' || n)::uuid AS id, md5('creator' || n)::uuid AS creator, md5('house' || n)::uuid AS house,
       md5('payer' || n % ${payers})::uuid AS payer_id, md5('payer' || (n / ${payers}) % 1000 % 100)::uuid AS payee_id,
       md5('post' || (n / ${payers}) % 1000)::uuid AS post_id, timestamptz '2026-01-01' + n * interval '20 seconds' AS at,
       '1' || given.tail AS arrival, '2' || given.tail AS receive, '3' || given.tail AS first_send, '4' || given.tail AS last_send
     FROM (SELECT *, '${keyPrefix.slice(2)}' || lpad(upper(to_hex(n)), 16, '0') AS tail
       FROM unnest($1::bigint[], $2::text[]) AS given (n, address)) given ORDER BY n`,
    [numbers, numbers.map(addressOf)],
  )
  await client.query(`ANALYZE sale`)
  const fill = (statement) => client.query(statement.replaceAll('GROSS', gross).replaceAll('COMMISSION', commission))
  await fill(`INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, paid_at)
    SELECT address_id, address, 'order', 1, at, at, at FROM sale`)
  await fill(`INSERT INTO nano_arrivals (hash, address_id, amount, source, seen_at)
    SELECT '0' || arrival, address_id, GROSS, 'nano_payer', at FROM sale`)
  await fill(`INSERT INTO orders (id, kind, state, payer_id, payee_id, post_id, amount_raw, commission_raw, recipient, address_id,
      received_raw, created_at, expires_at, received_at, paid_at)
    SELECT id, 'purchase', 'paid', payer_id, payee_id, post_id, GROSS, COMMISSION, 'nano_payee', address_id, GROSS, at, at, at, at FROM sale`)
  await fill(`INSERT INTO order_arrivals (hash, order_id, spent_at) SELECT '0' || arrival, id, at FROM sale`)
  await fill(`INSERT INTO entitlements (account_id, post_id, source, order_id, granted_at)
    SELECT payer_id, post_id, 'purchase', id, at FROM sale`)
  await fill(`INSERT INTO nano_sends (id, address_id, destination, amount, created_at, confirmed_at)
    SELECT creator, address_id, 'nano_payee', GROSS - COMMISSION, at, at FROM sale
    UNION ALL SELECT house, address_id, 'nano_house', COMMISSION, at, at FROM sale`)
  await fill(`INSERT INTO nano_blocks (hash, address_id, height, previous, balance, arrival_hash, send_id, block, signed_at, confirmed_at)
    SELECT '0' || receive, address_id, 1, repeat('0', 64), GROSS, '0' || arrival, NULL::uuid, '{}'::jsonb, at, at FROM sale
    UNION ALL SELECT '0' || first_send, address_id, 2, '0' || receive, COMMISSION, NULL, creator, '{}', at, at FROM sale
    UNION ALL SELECT '0' || last_send, address_id, 3, '0' || first_send, 0, NULL, house, '{}', at, at FROM sale`)
  await fill(`INSERT INTO payouts (id, role, state, order_id, payee_id, address_id, destination, amount, block_hash, created_at, confirmed_at)
    SELECT creator, 'creator', 'confirmed', id, payee_id, address_id, 'nano_payee', GROSS - COMMISSION, '0' || first_send, at, at FROM sale
    UNION ALL SELECT house, 'house', 'confirmed', id, NULL, address_id, 'nano_house', COMMISSION, '0' || last_send, at, at FROM sale`)
  await fill(`WITH movement AS (
      INSERT INTO ledger_movements (asset, kind, cause, order_id, at)
      SELECT 'XNO', step.kind, step.cause, id, at FROM sale CROSS JOIN LATERAL (VALUES
        (1, 'arrival', 'arrival:0' || arrival), (2, 'sale', 'sale:' || id), (3, 'payout', 'payout:' || creator),
        (4, 'payout', 'payout:' || house)) step(place, kind, cause) ORDER BY n, place RETURNING id, cause, order_id)
    INSERT INTO ledger_entries (movement_id, account_kind, account_ref, amount)
    SELECT movement.id, entry.kind, entry.ref, entry.amount FROM movement JOIN sale ON sale.id = movement.order_id
    CROSS JOIN LATERAL (VALUES
      ('arrival:0' || arrival, 'chain', address, GROSS), ('arrival:0' || arrival, 'order', sale.id::text, -GROSS),
      ('sale:' || sale.id, 'order', sale.id::text, GROSS), ('sale:' || sale.id, 'creator', payee_id::text, COMMISSION - GROSS),
      ('sale:' || sale.id, 'house', 'house', -COMMISSION),
      ('payout:' || creator, 'creator', payee_id::text, GROSS - COMMISSION), ('payout:' || creator, 'chain', address, COMMISSION - GROSS),
      ('payout:' || house, 'house', 'house', COMMISSION), ('payout:' || house, 'chain', address, -COMMISSION)) entry(cause, kind, ref, amount)
    WHERE entry.cause = movement.cause`)
  await fill(`INSERT INTO finance_lines (account_id, direction, asset, order_id, gross_raw, commission_raw, net_raw, line_count,
      gross_total, commission_total, net_total)
    SELECT side.account_id, side.direction, 'XNO', side.id, GROSS, COMMISSION, GROSS - COMMISSION, before.lines + side.place,
      (before.lines + side.place) * GROSS, (before.lines + side.place) * COMMISSION, (before.lines + side.place) * (GROSS - COMMISSION)
    FROM (SELECT id, n, account_id, direction, row_number() OVER (PARTITION BY account_id, direction ORDER BY n) AS place
      FROM sale CROSS JOIN LATERAL (VALUES ('in', payee_id), ('out', payer_id)) side(direction, account_id)) side
    CROSS JOIN LATERAL (SELECT coalesce(max(line_count), 0) AS lines FROM (SELECT line_count FROM finance_lines line
      WHERE line.account_id = side.account_id AND line.direction = side.direction AND line.asset = 'XNO'
      ORDER BY position DESC LIMIT 1) last) before
    ORDER BY side.n`)
  await client.query('COMMIT')
}

async function countFigures(client) {
  const ours = `SELECT md5('payer' || n)::uuid FROM generate_series(0, ${payers - 1}) n`
  await client.query(`DELETE FROM account_figures WHERE account_id IN (${ours})`)
  await client.query(`INSERT INTO account_figures (account_id, sales_count, earned_raw, given_raw)
    SELECT account_id, count(*) FILTER (WHERE direction = 'in'), coalesce(sum(net_raw) FILTER (WHERE direction = 'in'), 0),
      coalesce(sum(gross_raw) FILTER (WHERE direction = 'out'), 0)
    FROM finance_lines WHERE account_id IN (${ours}) GROUP BY account_id`)
  await client.query(`DELETE FROM earning_days WHERE account_id IN (${ours})`)
  await client.query(`INSERT INTO earning_days (account_id, day, post_id, asset, line_count, gross_raw, commission_raw, net_raw,
      tip_count, tip_raw)
    SELECT line.account_id, (received_at AT TIME ZONE 'UTC')::date, post_id, line.asset, count(*), sum(gross_raw),
      sum(line.commission_raw), sum(net_raw), count(*) FILTER (WHERE orders.kind = 'tip'),
      coalesce(sum(net_raw) FILTER (WHERE orders.kind = 'tip'), 0)
    FROM finance_lines line JOIN orders ON orders.id = line.order_id
    WHERE direction = 'in' AND line.account_id IN (${ours}) GROUP BY 1, 2, 3, 4`)
  await client.query(
    `DELETE FROM post_figures WHERE post_id IN (SELECT md5('post' || n)::uuid FROM generate_series(0, 999) n)`,
  )
  await client.query(`INSERT INTO post_figures (post_id, sales_count)
    SELECT post_id, count(*) FROM orders WHERE received_at IS NOT NULL
      AND post_id IN (SELECT md5('post' || n)::uuid FROM generate_series(0, 999) n) GROUP BY post_id`)
}
