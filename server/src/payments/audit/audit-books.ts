import type { Db } from '../../platform/database/database.ts'
import { everything, type Scope } from './audit-scope.ts'
import { figureChecks, strayFigureChecks } from './figure-checks.ts'
import { type Check, type Finding, runChecks } from './run-checks.ts'

/** Each looks at the scope that it is given (see audit-scope.ts). */
const checks: readonly Check[] = [
  {
    says: 'movement %s is not balanced',
    query: `SELECT movement.cause AS name FROM scope_movements
      JOIN ledger_movements movement ON movement.id = scope_movements.id
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id
      GROUP BY movement.id HAVING sum(entry.amount) IS DISTINCT FROM 0`,
  },
  {
    says: 'arrival %s is not booked with its amount',
    query: `SELECT arrival.hash AS name FROM scope_addresses JOIN nano_addresses address ON address.id = scope_addresses.id
      JOIN nano_arrivals arrival ON arrival.address_id = address.id
      LEFT JOIN ledger_movements movement ON movement.cause = 'arrival:' || arrival.hash
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'chain'
        AND entry.account_ref = address.address
      WHERE entry.amount IS DISTINCT FROM arrival.amount`,
  },
  {
    says: 'payout %s and the books disagree',
    query: `SELECT payout.id::text AS name FROM scope_payouts JOIN payouts payout ON payout.id = scope_payouts.id
      JOIN nano_addresses address ON address.id = payout.address_id
      LEFT JOIN ledger_movements movement ON movement.cause = 'payout:' || payout.id
      LEFT JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind = 'chain'
        AND entry.account_ref = address.address
      WHERE entry.amount IS DISTINCT FROM CASE payout.state WHEN 'confirmed' THEN -payout.amount END`,
  },
  {
    says: 'movement %s has nothing that made it',
    query: `SELECT cause AS name FROM scope_movements JOIN ledger_movements movement ON movement.id = scope_movements.id
      WHERE asset = 'XNO' AND CASE kind
        WHEN 'arrival' THEN NOT EXISTS (SELECT FROM nano_arrivals WHERE hash = substr(cause, 9) AND 'arrival:' || hash = cause)
        WHEN 'payout' THEN NOT EXISTS (SELECT FROM payouts payout
          WHERE payout.id = CASE WHEN cause ~ '^payout:[0-9a-f-]{36}$' THEN substr(cause, 8)::uuid END AND state = 'confirmed')
        WHEN 'refund' THEN NOT EXISTS (SELECT FROM payouts
          WHERE arrival_hash = substr(cause, 8) AND 'refund:' || arrival_hash = cause AND role = 'refund')
        ELSE NOT EXISTS (SELECT FROM orders WHERE id = movement.order_id AND received_at IS NOT NULL) END`,
  },
  {
    says: 'order %s: what it received is not what arrived',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      LEFT JOIN order_arrivals came ON came.order_id = orders.id LEFT JOIN nano_arrivals arrival ON arrival.hash = came.hash
      WHERE orders.asset = 'XNO' GROUP BY orders.id HAVING orders.received_raw <> coalesce(sum(arrival.amount), 0)
        OR bool_or(arrival.address_id IS NOT NULL AND arrival.address_id <> orders.address_id)`,
  },
  {
    says: 'order %s: its unspent money is not what the books hold',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      WHERE coalesce((SELECT -sum(amount) FROM ledger_entries WHERE account_kind = 'order' AND account_ref = orders.id::text), 0)
        <> coalesce((SELECT sum(arrival.amount) FROM order_arrivals came JOIN nano_arrivals arrival ON arrival.hash = came.hash
          WHERE came.order_id = orders.id AND came.spent_at IS NULL), 0)`,
  },
  {
    says: 'order %s: its state and its sale disagree',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      LEFT JOIN ledger_movements movement ON movement.order_id = orders.id AND movement.kind IN ('sale', 'tip')
      LEFT JOIN ledger_entries spent ON spent.movement_id = movement.id AND spent.account_kind = 'order'
      LEFT JOIN ledger_entries earned ON earned.movement_id = movement.id AND earned.account_kind = 'creator'
      WHERE (orders.received_at IS NULL) <> (movement.id IS NULL)
        OR spent.amount <> orders.amount_raw
        OR (movement.id IS NOT NULL AND coalesce(-earned.amount, 0) <> orders.amount_raw - orders.commission_raw)`,
  },
  {
    says: 'order %s: what was sold and what is owed for it disagree',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id LEFT JOIN payouts payout
        ON payout.order_id = orders.id AND payout.role IN ('creator', 'house')
      WHERE orders.asset = 'XNO' GROUP BY orders.id
      HAVING coalesce(sum(payout.amount), 0) <> CASE WHEN orders.received_at IS NULL THEN 0 ELSE orders.amount_raw END
        OR coalesce(sum(payout.amount) FILTER (WHERE payout.role = 'house'), 0)
          <> CASE WHEN orders.received_at IS NULL THEN 0 ELSE orders.commission_raw END`,
  },
  {
    says: 'order %s: paid, and its creator is not; or the other way around',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id JOIN payouts payout
        ON payout.order_id = orders.id AND payout.role = 'creator'
      WHERE (orders.state = 'paid') <> (payout.state = 'confirmed')`,
  },
  // USDC paid for a post that the buyer has already is the creator's: then the entitlement belongs to another order.
  {
    says: 'order %s: bought without a right to read, or the other way around',
    query: `SELECT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      LEFT JOIN entitlements entitlement ON entitlement.order_id = orders.id
      LEFT JOIN entitlements owned ON orders.asset = 'USDC' AND owned.account_id = orders.payer_id AND owned.post_id = orders.post_id
      WHERE orders.kind = 'purchase' AND orders.payer_id IS NOT NULL
        AND (orders.received_at IS NULL) <> (entitlement.order_id IS NULL AND owned.account_id IS NULL)
      UNION SELECT orders.id::text FROM scope_orders JOIN orders ON orders.id = scope_orders.id LEFT JOIN wallet_entitlements paid
        ON paid.network = CASE orders.asset WHEN 'XNO' THEN 'nano:mainnet' ELSE 'eip155:8453' END AND paid.wallet = orders.payer_wallet AND paid.post_id = orders.post_id
      WHERE orders.kind = 'purchase' AND orders.payer_wallet IS NOT NULL AND orders.received_at IS NOT NULL
        AND paid.wallet IS NULL`,
  },
  {
    says: 'order %s waits for money whose time to go back is long over',
    query: `SELECT DISTINCT orders.id::text AS name FROM scope_orders JOIN orders ON orders.id = scope_orders.id
      JOIN order_arrivals came ON came.order_id = orders.id
      WHERE came.spent_at IS NULL AND orders.expires_at < $1::timestamptz - interval '2 hours'`,
  },
  {
    says: 'what is owed to %s is not the sum of its open payouts',
    // By order and by refund, so that nobody has to add up what a creator was ever owed.
    query: `SELECT DISTINCT name FROM (
        SELECT movement.order_id AS reason, entry.account_kind || ' ' || entry.account_ref AS name, -entry.amount AS owed
        FROM scope_orders JOIN ledger_movements movement ON movement.order_id = scope_orders.id AND movement.asset = 'XNO'
        JOIN ledger_entries entry ON entry.movement_id = movement.id AND entry.account_kind IN ('creator', 'house')
        UNION ALL SELECT payout.order_id, role || ' ' || CASE role WHEN 'creator' THEN payee_id::text ELSE 'house' END, -amount
        FROM scope_orders JOIN payouts payout ON payout.order_id = scope_orders.id
        WHERE role <> 'refund' AND state <> 'confirmed'
        UNION ALL SELECT payout.id, 'refund ' || payout.id, -coalesce(sum(entry.amount), 0)
          - CASE payout.state WHEN 'confirmed' THEN 0 ELSE payout.amount END
        FROM scope_payouts JOIN payouts payout ON payout.id = scope_payouts.id AND payout.role = 'refund'
        LEFT JOIN ledger_entries entry ON entry.account_kind = 'refund' AND entry.account_ref = payout.id::text
        GROUP BY payout.id) both_sides
      GROUP BY reason, name HAVING sum(owed) <> 0`,
  },
  {
    says: 'address %s: what the books say it holds is not what came and went',
    query: `SELECT address.address AS name FROM scope_addresses JOIN nano_addresses address ON address.id = scope_addresses.id
      WHERE coalesce((SELECT sum(amount) FROM ledger_entries WHERE account_kind = 'chain' AND account_ref = address.address), 0)
        <> coalesce((SELECT sum(amount) FROM nano_arrivals WHERE address_id = address.id), 0)
          - coalesce((SELECT sum(amount) FROM nano_sends WHERE address_id = address.id AND confirmed_at IS NOT NULL), 0)`,
  },
  {
    says: 'address %s: its blocks do not follow each other',
    query: `SELECT DISTINCT address.address AS name FROM scope_addresses JOIN nano_addresses address ON address.id = scope_addresses.id
      JOIN nano_blocks block ON block.address_id = address.id
      LEFT JOIN nano_blocks before ON before.address_id = block.address_id AND before.height = block.height - 1
        AND before.refused_at IS NULL
      LEFT JOIN nano_arrivals arrival ON arrival.hash = block.arrival_hash LEFT JOIN nano_sends send ON send.id = block.send_id
      WHERE block.refused_at IS NULL AND (block.previous <> coalesce(before.hash, repeat('0', 64))
        OR block.balance <> coalesce(before.balance, 0) + coalesce(arrival.amount, 0) - coalesce(send.amount, 0)
        OR (block.height > 1 AND before.hash IS NULL))`,
  },
  {
    says: 'send %s and its block disagree',
    query: `SELECT send.id::text AS name FROM scope_addresses JOIN nano_sends send ON send.address_id = scope_addresses.id
      LEFT JOIN nano_blocks block ON block.send_id = send.id AND block.refused_at IS NULL
      WHERE (send.confirmed_at IS NULL) <> (block.confirmed_at IS NULL)`,
  },
  {
    // Commission may wait for its sweep, which adds the send.
    says: 'payout %s waits, and nothing is to be sent for it',
    query: `SELECT payout.id::text AS name FROM scope_payouts JOIN payouts payout ON payout.id = scope_payouts.id
      LEFT JOIN nano_sends send ON send.id = payout.id
        AND send.destination = payout.destination AND send.amount = payout.amount AND send.address_id = payout.address_id
      WHERE (payout.state <> 'blocked' AND send.id IS NULL
          AND NOT (payout.role = 'house' AND payout.state = 'waiting'
            AND NOT EXISTS (SELECT FROM nano_sends WHERE nano_sends.id = payout.id)))
        OR (payout.state = 'waiting' AND send.refused_at IS NOT NULL)`,
  },
]

/** Runs the checks that need only the database: every movement is balanced, every order's money is accounted for. */
export const auditBooks = async (db: Db, now: Date): Promise<Finding[]> => [
  ...(await auditScope(db, everything, now)),
  ...(await auditStrays(db, now)),
]

/** The same for a part of the books. */
export const auditScope = (db: Db, scope: Scope, now: Date): Promise<Finding[]> =>
  runChecks(db, [...checks, ...figureChecks], scope, now)

/** Figures that nothing was booked for. They belong to no order, so every audit looks at all of them. */
export const auditStrays = (db: Db, now: Date): Promise<Finding[]> => runChecks(db, strayFigureChecks, everything, now)
