import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { figureChecks } from './figure-checks.ts'

/** One line that names what is wrong. */
export type Finding = string

// Each check is a query that finds nothing where the books are right. Its rows name what is wrong.
const checks: readonly { readonly says: string; readonly query: string }[] = [
  {
    says: 'movement %s is not balanced',
    query: `SELECT movement.cause AS name FROM ledger_movements movement LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id
      GROUP BY movement.id HAVING sum(entry.amount) IS DISTINCT FROM 0`,
  },
  {
    says: 'arrival %s is not booked with its amount',
    query: `SELECT arrival.hash AS name FROM nano_arrivals arrival JOIN nano_addresses address ON address.id = arrival.address_id
      LEFT JOIN ledger_movements movement ON movement.cause = 'arrival:' || arrival.hash
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'chain'
        AND entry.account_ref = address.address
      WHERE entry.amount IS DISTINCT FROM arrival.amount`,
  },
  {
    says: 'payout %s and the books disagree',
    query: `SELECT payout.id::text AS name FROM payouts payout JOIN nano_addresses address ON address.id = payout.address_id
      LEFT JOIN ledger_movements movement ON movement.cause = 'payout:' || payout.id
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'chain'
        AND entry.account_ref = address.address
      WHERE entry.amount IS DISTINCT FROM CASE payout.state WHEN 'confirmed' THEN -payout.amount END`,
  },
  {
    says: 'movement %s has nothing that made it',
    query: `SELECT cause AS name FROM ledger_movements movement WHERE asset = 'XNO' AND CASE kind
        WHEN 'arrival' THEN NOT EXISTS (SELECT FROM nano_arrivals WHERE 'arrival:' || hash = cause)
        WHEN 'payout' THEN NOT EXISTS (SELECT FROM payouts WHERE 'payout:' || id = cause AND state = 'confirmed')
        WHEN 'refund' THEN NOT EXISTS (SELECT FROM payouts WHERE 'refund:' || arrival_hash = cause AND role = 'refund')
        ELSE NOT EXISTS (SELECT FROM orders WHERE id = movement.order_id AND received_at IS NOT NULL) END`,
  },
  {
    says: 'order %s: what it received is not what arrived',
    query: `SELECT orders.id::text AS name FROM orders
      LEFT JOIN order_arrivals came ON came.order_id = orders.id LEFT JOIN nano_arrivals arrival ON arrival.hash = came.hash
      WHERE orders.asset = 'XNO' GROUP BY orders.id HAVING orders.received_raw <> coalesce(sum(arrival.amount), 0)
        OR bool_or(arrival.address_id IS NOT NULL AND arrival.address_id <> orders.address_id)`,
  },
  {
    says: 'order %s: its unspent money is not what the books hold',
    query: `SELECT orders.id::text AS name FROM orders
      WHERE coalesce((SELECT -sum(amount) FROM ledger_entries WHERE account_kind = 'order' AND account_ref = orders.id::text), 0)
        <> coalesce((SELECT sum(arrival.amount) FROM order_arrivals came JOIN nano_arrivals arrival ON arrival.hash = came.hash
          WHERE came.order_id = orders.id AND came.spent_at IS NULL), 0)`,
  },
  {
    says: 'order %s: its state and its sale disagree',
    query: `SELECT orders.id::text AS name FROM orders
      LEFT JOIN ledger_movements movement ON movement.order_id = orders.id AND movement.kind IN ('sale', 'tip')
      LEFT JOIN ledger_entries spent ON spent.movement_id = movement.id AND spent.account_kind = 'order'
      LEFT JOIN ledger_entries earned ON earned.movement_id = movement.id AND earned.account_kind = 'creator'
      WHERE (orders.received_at IS NULL) <> (movement.id IS NULL)
        OR spent.amount <> orders.amount_raw
        OR (movement.id IS NOT NULL AND coalesce(-earned.amount, 0) <> orders.amount_raw - orders.commission_raw)`,
  },
  {
    says: 'order %s: what was sold and what is owed for it disagree',
    query: `SELECT orders.id::text AS name FROM orders LEFT JOIN payouts payout
        ON payout.order_id = orders.id AND payout.role IN ('creator', 'house')
      WHERE orders.asset = 'XNO' GROUP BY orders.id
      HAVING coalesce(sum(payout.amount), 0) <> CASE WHEN orders.received_at IS NULL THEN 0 ELSE orders.amount_raw END
        OR coalesce(sum(payout.amount) FILTER (WHERE payout.role = 'house'), 0)
          <> CASE WHEN orders.received_at IS NULL THEN 0 ELSE orders.commission_raw END`,
  },
  {
    says: 'order %s: paid, and its creator is not; or the other way around',
    query: `SELECT orders.id::text AS name FROM orders JOIN payouts payout
        ON payout.order_id = orders.id AND payout.role = 'creator'
      WHERE (orders.state = 'paid') <> (payout.state = 'confirmed')`,
  },
  // USDC paid for a post that the buyer has already is the creator's: then the entitlement belongs to another order.
  {
    says: 'order %s: bought without a right to read, or the other way around',
    query: `SELECT orders.id::text AS name FROM orders
      LEFT JOIN entitlements entitlement ON entitlement.order_id = orders.id
      LEFT JOIN entitlements owned ON orders.asset = 'USDC' AND owned.account_id = orders.payer_id AND owned.post_id = orders.post_id
      WHERE orders.kind = 'purchase' AND orders.payer_id IS NOT NULL
        AND (orders.received_at IS NULL) <> (entitlement.order_id IS NULL AND owned.account_id IS NULL)
      UNION SELECT orders.id::text FROM orders LEFT JOIN wallet_entitlements paid
        ON paid.network = CASE orders.asset WHEN 'XNO' THEN 'nano:mainnet' ELSE 'eip155:8453' END AND paid.wallet = orders.payer_wallet AND paid.post_id = orders.post_id
      WHERE orders.kind = 'purchase' AND orders.payer_wallet IS NOT NULL AND orders.received_at IS NOT NULL
        AND paid.wallet IS NULL`,
  },
  {
    says: 'order %s waits for money whose time to go back is long over',
    query: `SELECT DISTINCT orders.id::text AS name FROM orders JOIN order_arrivals came ON came.order_id = orders.id
      WHERE came.spent_at IS NULL AND orders.expires_at < $1::timestamptz - interval '2 hours'`,
  },
  {
    says: 'what is owed to %s is not the sum of its open payouts',
    query: `SELECT name FROM (
        SELECT account_kind || ' ' || account_ref AS name, -amount AS owed FROM ledger_entries
        WHERE account_kind IN ('creator', 'house', 'refund')
          AND movement_id IN (SELECT id FROM ledger_movements WHERE asset = 'XNO')
        UNION ALL SELECT role || ' ' || CASE role WHEN 'creator' THEN payee_id::text WHEN 'house' THEN 'house' ELSE id::text END, -amount
        FROM payouts WHERE state <> 'confirmed') both_sides
      GROUP BY name HAVING sum(owed) <> 0`,
  },
  {
    says: 'address %s: what the books say it holds is not what came and went',
    query: `SELECT address.address AS name FROM nano_addresses address
      WHERE coalesce((SELECT sum(amount) FROM ledger_entries WHERE account_kind = 'chain' AND account_ref = address.address), 0)
        <> coalesce((SELECT sum(amount) FROM nano_arrivals WHERE address_id = address.id), 0)
          - coalesce((SELECT sum(amount) FROM nano_sends WHERE address_id = address.id AND confirmed_at IS NOT NULL), 0)`,
  },
  {
    says: 'address %s: its blocks do not follow each other',
    query: `SELECT DISTINCT address.address AS name FROM nano_blocks block JOIN nano_addresses address ON address.id = block.address_id
      LEFT JOIN nano_blocks before ON before.address_id = block.address_id AND before.height = block.height - 1
        AND before.refused_at IS NULL
      LEFT JOIN nano_arrivals arrival ON arrival.hash = block.arrival_hash LEFT JOIN nano_sends send ON send.id = block.send_id
      WHERE block.refused_at IS NULL AND (block.previous <> coalesce(before.hash, repeat('0', 64))
        OR block.balance <> coalesce(before.balance, 0) + coalesce(arrival.amount, 0) - coalesce(send.amount, 0)
        OR (block.height > 1 AND before.hash IS NULL))`,
  },
  {
    says: 'send %s and its block disagree',
    query: `SELECT send.id::text AS name FROM nano_sends send
      LEFT JOIN nano_blocks block ON block.send_id = send.id AND block.refused_at IS NULL
      WHERE (send.confirmed_at IS NULL) <> (block.confirmed_at IS NULL)`,
  },
  {
    says: 'payout %s waits, and nothing is to be sent for it',
    query: `SELECT payout.id::text AS name FROM payouts payout LEFT JOIN nano_sends send ON send.id = payout.id
        AND send.destination = payout.destination AND send.amount = payout.amount AND send.address_id = payout.address_id
      WHERE (payout.state <> 'blocked' AND send.id IS NULL)
        OR (payout.state = 'waiting' AND send.refused_at IS NOT NULL)`,
  },
]

/** What the database alone can prove: every movement balanced, every order's money accounted for. */
export const auditBooks = (db: Db, now: Date): Promise<Finding[]> => runChecks(db, [...checks, ...figureChecks], now)

export async function runChecks(db: Db, queries: typeof checks, now: Date): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { says, query } of queries) {
    const text = query.replace('$1::timestamptz', `'${now.toISOString()}'::timestamptz`)
    const { rows } = await sql.raw<{ name: string }>(text).execute(db)
    findings.push(...rows.map(({ name }) => says.replace('%s', name)))
  }
  return findings
}
