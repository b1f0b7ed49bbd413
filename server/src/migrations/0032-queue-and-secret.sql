-- Jobs are claimed name by name, so that those that may not run now are not read. A million waiting emails cost nothing.
CREATE INDEX jobs_waiting ON jobs (name, run_at, id) WHERE claimed_by IS NULL AND dead_at IS NULL;
DROP INDEX jobs_due;

-- Which service-secret this database belongs to: sessions, keys and codes of another one are worthless here.
CREATE TABLE service_secret (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  fingerprint text NOT NULL
);
