-- Reads all entries, and holds up nobody.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'ledger_entries'::regclass AND conname = 'ledger_entries_range') THEN
    ALTER TABLE ledger_entries VALIDATE CONSTRAINT ledger_entries_range;
  END IF;
END $$;
