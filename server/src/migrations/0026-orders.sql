-- What is being paid is an order: a purchase or a tip. A session is a login and nothing else. Only names change here.
-- The version before this one cannot run beside it: it asks for the old names.
ALTER TABLE payment_sessions RENAME TO orders;
ALTER TABLE session_arrivals RENAME TO order_arrivals;
ALTER TABLE order_arrivals RENAME COLUMN session_id TO order_id;
ALTER TABLE order_arrivals RENAME COLUMN settled_at TO spent_at;
ALTER TABLE ledger_movements RENAME COLUMN session_id TO order_id;
ALTER TABLE entitlements RENAME COLUMN session_id TO order_id;
ALTER TABLE payouts RENAME COLUMN session_id TO order_id;
ALTER TABLE finance_lines RENAME COLUMN session_id TO order_id;
ALTER TABLE x402_payments RENAME COLUMN session_id TO order_id;

-- Constraints and indexes. PostgreSQL 18 also names NOT NULL constraints, older versions do not, so they are looked up.
DO $$
DECLARE
  tables regclass[] := ARRAY['orders', 'order_arrivals', 'ledger_movements', 'entitlements', 'payouts', 'finance_lines',
    'x402_payments'];
  found record;
BEGIN
  FOR found IN SELECT conrelid::regclass AS owner, conname AS name FROM pg_constraint
    WHERE conrelid = ANY(tables) AND conname LIKE '%session%'
  LOOP
    EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', found.owner, found.name,
      replace(replace(replace(found.name, 'payment_sessions', 'orders'), 'settled_at', 'spent_at'), 'session', 'order'));
  END LOOP;
  FOR found IN SELECT indexrelid::regclass AS owner, relname AS name FROM pg_index JOIN pg_class ON oid = indexrelid
    WHERE indrelid = ANY(tables) AND relname LIKE '%session%'
  LOOP
    EXECUTE format('ALTER INDEX %s RENAME TO %I', found.owner,
      replace(replace(found.name, 'payment_sessions', 'orders'), 'session', 'order'));
  END LOOP;
END $$;

-- A change of an order, or of a payout for one, is announced with the order's id.
DROP TRIGGER payment_sessions_told ON orders;
DROP FUNCTION tell_of_session();
CREATE FUNCTION notify_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('orders', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER orders_notify AFTER UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION notify_order();
DROP TRIGGER payouts_told ON payouts;
DROP FUNCTION tell_of_payout();
CREATE FUNCTION notify_order_of_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.order_id IS NOT NULL THEN PERFORM pg_notify('orders', NEW.order_id::text); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payouts_notify AFTER UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION notify_order_of_payout();

CREATE OR REPLACE FUNCTION count_earning_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earning_days AS known
  SELECT line.account_id, (orders.received_at AT TIME ZONE 'UTC')::date, orders.post_id, line.asset, count(*),
    sum(line.gross_raw), sum(line.commission_raw), sum(line.net_raw)
  FROM added line JOIN orders ON orders.id = line.order_id
  WHERE line.direction = 'in' GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, day, post_id, asset) DO UPDATE SET
    line_count = known.line_count + excluded.line_count,
    gross_raw = known.gross_raw + excluded.gross_raw,
    commission_raw = known.commission_raw + excluded.commission_raw,
    net_raw = known.net_raw + excluded.net_raw;
  RETURN NULL;
END $$;

-- The ledger's account of unspent money is called after the order. Its entries are protected against every change, so
-- the protection is lifted for this one statement, in this transaction.
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_stay;
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_account_kind_check;
UPDATE ledger_entries SET account_kind = 'order' WHERE account_kind = 'session';
ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_account_kind_check
  CHECK (account_kind IN ('chain', 'order', 'creator', 'house', 'refund', 'outside'));
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_stay;

UPDATE nano_addresses SET purpose = 'order' WHERE purpose = 'session';

-- Waiting jobs keep their time, attempts and order of running.
UPDATE jobs SET name = 'close-order', payload = jsonb_build_object('orderId', payload->'sessionId'),
  key = replace(key, 'payment-session:', 'order:') WHERE name = 'close-payment-session';
UPDATE jobs SET name = 'close-forgotten-orders', key = 'every:close-forgotten-orders'
  WHERE name = 'close-forgotten-payment-sessions';
