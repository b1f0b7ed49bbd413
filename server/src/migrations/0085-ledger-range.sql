-- The entries of the ledger become a table in partitions (0087). What there is now will be the first one. For that it gets an upper bound
-- here, which is checked for new rows alone, and for the others in 0086, while payments go on. 0087 then need not read them under a lock.
-- The bound is at least twenty million movements away. An empty table needs none.
DO $$
DECLARE
  width CONSTANT bigint := 20000000;
  last_id CONSTANT bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('ledger_movements', 'id')), 0);
BEGIN
  IF EXISTS (SELECT FROM ledger_movements) THEN
    EXECUTE format('ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_range CHECK (movement_id < %s) NOT VALID',
      (last_id / width + 2) * width);
  END IF;
END $$;
