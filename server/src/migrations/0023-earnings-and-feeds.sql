-- What came in on a day (UTC), by Post and asset: charts add up days, not lines.
CREATE TABLE earning_days (
  account_id uuid NOT NULL REFERENCES accounts,
  day date NOT NULL,
  post_id uuid NOT NULL REFERENCES posts,
  asset text NOT NULL CHECK (asset IN ('XNO', 'USDC')),
  line_count bigint NOT NULL CHECK (line_count > 0),
  gross_raw numeric NOT NULL,
  commission_raw numeric NOT NULL,
  net_raw numeric NOT NULL,
  PRIMARY KEY (account_id, day, post_id, asset),
  CHECK (gross_raw = commission_raw + net_raw)
);

-- Lines are written while their account's figures are locked, so that nobody else touches the account's days.
CREATE FUNCTION count_earning_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earning_days AS known
  SELECT line.account_id, (session.received_at AT TIME ZONE 'UTC')::date, session.post_id, line.asset, count(*),
    sum(line.gross_raw), sum(line.commission_raw), sum(line.net_raw)
  FROM added line JOIN payment_sessions session ON session.id = line.session_id
  WHERE line.direction = 'in' GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, day, post_id, asset) DO UPDATE SET
    line_count = known.line_count + excluded.line_count,
    gross_raw = known.gross_raw + excluded.gross_raw,
    commission_raw = known.commission_raw + excluded.commission_raw,
    net_raw = known.net_raw + excluded.net_raw;
  RETURN NULL;
END $$;
-- First the trigger, whose lock others wait for, then what is there already: nothing is counted twice or left out.
CREATE TRIGGER count_earning_days AFTER INSERT ON finance_lines REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_earning_days();
INSERT INTO earning_days
SELECT line.account_id, (session.received_at AT TIME ZONE 'UTC')::date, session.post_id, line.asset, count(*),
  sum(line.gross_raw), sum(line.commission_raw), sum(line.net_raw)
FROM finance_lines line JOIN payment_sessions session ON session.id = line.session_id
WHERE line.direction = 'in' GROUP BY 1, 2, 3, 4;

-- What a creator is still owed.
CREATE INDEX payouts_owed_to ON payouts (payee_id, state) INCLUDE (session_id)
  WHERE role = 'creator' AND state <> 'confirmed';

-- The secret address of an account's private feed: one each, known by its hash.
CREATE TABLE private_feeds (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL
);
-- What an account bought, the latest first.
CREATE INDEX entitlements_of_account ON entitlements (account_id, granted_at DESC);
