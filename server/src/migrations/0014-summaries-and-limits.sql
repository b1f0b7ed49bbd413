-- What an account's figures were when its last day was summed up; account_summaries has the same for its weeks.
CREATE TABLE account_day_summaries (LIKE account_summaries INCLUDING ALL);
ALTER TABLE account_day_summaries ADD FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE;

-- The times of the last requests that a limit let through, the newest first, where several processes share the database
-- and have no Redis. Not logged: after a crash of the database limits begin anew, and no request waits for a disk.
CREATE UNLOGGED TABLE rate_counters (
  name text PRIMARY KEY,
  hits bigint[] NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
