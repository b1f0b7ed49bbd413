ALTER TABLE last_backup
  ADD COLUMN size_bytes bigint CHECK (size_bytes >= 0),
  ADD COLUMN is_encrypted boolean;

-- Why the last backup that the service wanted to make failed. One row, until one succeeds.
CREATE TABLE last_backup_failure (
  slot integer PRIMARY KEY DEFAULT 1 CHECK (slot = 1),
  failed_at timestamptz NOT NULL,
  cause text NOT NULL CHECK (length(cause) <= 500)
);
