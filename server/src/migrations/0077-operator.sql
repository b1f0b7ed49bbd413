-- What was done at the command line of the machine has no account: the operator did it.
ALTER TABLE audit_log ALTER COLUMN actor_id DROP NOT NULL;

-- The last backup that was finished and read back. One row.
CREATE TABLE last_backup (
  slot integer PRIMARY KEY DEFAULT 1 CHECK (slot = 1),
  taken_at timestamptz NOT NULL,
  row_count bigint NOT NULL CHECK (row_count >= 0),
  file_count bigint NOT NULL CHECK (file_count >= 0)
);
