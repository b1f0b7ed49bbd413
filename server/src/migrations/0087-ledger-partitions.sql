-- The entries of the ledger in partitions of twenty million movements. Their key begins with the movement, so every rule stays one of the
-- database; that a cause is booked once is a rule of ledger_movements, which stays whole. Names and columns stay, too.

-- Those who write take both tables. The one that is waited for longest comes first.
LOCK TABLE ledger_movements IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE ledger_entries IN ACCESS EXCLUSIVE MODE;

-- The table as it was becomes the first partition. Its own trigger ledger_entries_stay refuses changes that name the partition.
DROP TRIGGER ledger_entries_balance ON ledger_entries;
ALTER TABLE ledger_entries RENAME TO ledger_entries_first;
ALTER INDEX ledger_entries_pkey RENAME TO ledger_entries_first_pkey;
ALTER INDEX ledger_entries_of_account RENAME TO ledger_entries_first_of_account;

CREATE TABLE ledger_entries (
  movement_id bigint NOT NULL CONSTRAINT ledger_entries_movement_id_fkey REFERENCES ledger_movements,
  account_kind text NOT NULL,
  account_ref text NOT NULL,
  amount numeric(39, 0) NOT NULL,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (movement_id, account_kind, account_ref),
  CONSTRAINT ledger_entries_account_kind_check
    CHECK (account_kind IN ('chain', 'order', 'creator', 'house', 'refund', 'outside')),
  CONSTRAINT ledger_entries_amount_check CHECK (amount <> 0)
) PARTITION BY RANGE (movement_id);
CREATE INDEX ledger_entries_of_account ON ledger_entries (account_kind, account_ref);
CREATE CONSTRAINT TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_balance();
CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

DO $$
DECLARE
  width CONSTANT bigint := 20000000;
  last_id CONSTANT bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('ledger_movements', 'id')), 0);
  checked_bound bigint;
BEGIN
  SELECT substring(pg_get_constraintdef(oid) FROM '\d+')::bigint INTO checked_bound FROM pg_constraint
    WHERE conrelid = 'ledger_entries_first'::regclass AND conname = 'ledger_entries_range' AND convalidated;
  EXECUTE format('ALTER TABLE ledger_entries ATTACH PARTITION ledger_entries_first FOR VALUES FROM (MINVALUE) TO (%s)',
    coalesce(checked_bound, (last_id / width + 2) * width));
END $$;
ALTER TABLE ledger_entries_first DROP CONSTRAINT IF EXISTS ledger_entries_range;

-- No payment ever fails for want of a partition: what is beyond the last one would go here.
CREATE TABLE ledger_entries_default PARTITION OF ledger_entries DEFAULT;
CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Makes the partitions that will be needed next, and returns how many. A job calls this every day, and a restore before it loads rows.
-- Movements wait while one is made. If something else is read or written for longer, this fails and is tried again.
CREATE FUNCTION make_partitions() RETURNS integer LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  width CONSTANT bigint := 20000000;
  sequence CONSTANT regclass := pg_get_serial_sequence('ledger_movements', 'id');
  last_id bigint := coalesce(pg_sequence_last_value(sequence), 0);
  next_bound bigint;
  partition text;
  made integer := 0;
BEGIN
  -- Another process is doing it.
  IF NOT pg_try_advisory_xact_lock(7065511103) THEN RETURN 0; END IF;
  SELECT max(substring(pg_get_expr(child.relpartbound, child.oid) FROM 'TO \(''(\d+)''\)')::bigint) INTO next_bound
    FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = 'ledger_entries'::regclass;
  IF next_bound >= (last_id / width + 2) * width THEN RETURN 0; END IF;

  -- A backup may be reading this one. That is found out before anyone who writes has to wait.
  LOCK TABLE ledger_entries_default IN ACCESS EXCLUSIVE MODE;
  -- From here on no movement is open, so every one that was begun has its entries and a number up to this.
  LOCK TABLE ledger_movements IN SHARE ROW EXCLUSIVE MODE;
  last_id := coalesce(pg_sequence_last_value(sequence), 0);
  -- It was too late: what is in the default partition stays there, and the next one begins after it. A sequence that somebody set far
  -- ahead does not make thousands of partitions either.
  IF (last_id - next_bound) / width > 100 OR EXISTS (SELECT FROM ledger_entries_default WHERE movement_id >= next_bound) THEN
    next_bound := (last_id / width + 1) * width;
  END IF;
  WHILE next_bound < (last_id / width + 2) * width LOOP
    partition := format('ledger_entries_from_%s', next_bound);
    EXECUTE format('CREATE TABLE %I (LIKE ledger_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
    EXECUTE format('CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', partition);
    EXECUTE format('ALTER TABLE ledger_entries ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', partition, next_bound,
      next_bound + width);
    next_bound := next_bound + width;
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;
