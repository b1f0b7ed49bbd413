-- What `npm run audit` has checked: ranges of addresses and of movements of the ledger. The next run checks what is new,
-- what can still change, and the ranges whose turn it is.
CREATE TABLE audit_slices (
  kind text NOT NULL CHECK (kind IN ('addresses', 'movements')),
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  -- Movements: how many of them are sales and tips. Their sum must be the number of orders that were paid.
  sales bigint NOT NULL DEFAULT 0 CHECK (sales >= 0),
  findings integer NOT NULL CHECK (findings >= 0),
  audited_at timestamptz NOT NULL,
  PRIMARY KEY (kind, first_id),
  CHECK (first_id <= last_id)
);

CREATE TABLE audit_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- By the database's clock, and by the service's, which can be moved in development.
  started_at timestamptz NOT NULL,
  service_time timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  findings integer NOT NULL CHECK (findings >= 0)
);
