-- What accounts received and paid, one line for each side of a purchase or tip, written with the movement that made it
-- true. Each line carries the totals up to itself, so nobody adds up a list to read it, as it is now or as it was.
CREATE TABLE finance_lines (
  account_id uuid NOT NULL REFERENCES accounts,
  direction text NOT NULL CHECK (direction IN ('in', 'out')),
  asset text NOT NULL CHECK (asset IN ('XNO', 'USDC')),
  -- Taken under the lock of the account's figures: of one account, what is committed later is higher.
  position bigint GENERATED ALWAYS AS IDENTITY,
  session_id uuid NOT NULL REFERENCES payment_sessions,
  gross_raw numeric(39, 0) NOT NULL CHECK (gross_raw > 0),
  commission_raw numeric(39, 0) NOT NULL CHECK (commission_raw >= 0),
  net_raw numeric(39, 0) NOT NULL CHECK (net_raw >= 0),
  -- Of this account, direction and asset, this line included.
  line_count bigint NOT NULL CHECK (line_count > 0),
  gross_total numeric NOT NULL,
  commission_total numeric NOT NULL,
  net_total numeric NOT NULL,
  PRIMARY KEY (account_id, direction, asset, position),
  CHECK (gross_raw = commission_raw + net_raw),
  CHECK (gross_total = commission_total + net_total)
);
CREATE UNIQUE INDEX finance_lines_once ON finance_lines (session_id, direction);
CREATE TRIGGER finance_lines_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON finance_lines
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Who tipped a Comment, and how much in all.
CREATE TABLE comment_supporters (
  comment_id uuid NOT NULL REFERENCES comments ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  tip_total_raw numeric(39, 0) NOT NULL CHECK (tip_total_raw > 0),
  PRIMARY KEY (comment_id, account_id)
);
CREATE INDEX comment_supporters_ranked ON comment_supporters (comment_id, tip_total_raw DESC, account_id);

-- A Comment's total is that of its supporters.
CREATE FUNCTION count_comment_tip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE comments
    SET tip_total_raw = tip_total_raw + NEW.tip_total_raw - CASE TG_OP WHEN 'UPDATE' THEN OLD.tip_total_raw ELSE 0 END
    WHERE id = NEW.comment_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_comment_tip AFTER INSERT OR UPDATE ON comment_supporters FOR EACH ROW EXECUTE FUNCTION count_comment_tip();

-- Tips to Posts themselves, the latest first.
CREATE INDEX payment_sessions_tips ON payment_sessions (post_id, received_at DESC, id)
  WHERE kind = 'tip' AND comment_id IS NULL AND received_at IS NOT NULL;
-- Whether a Post has any financial history, paid or not: it cannot be deleted then.
CREATE INDEX payment_sessions_history ON payment_sessions (post_id);

-- Obligations, the oldest first.
CREATE INDEX payouts_owed ON payouts (state, created_at, id) WHERE state <> 'confirmed';

-- Not everything that administrators act on has a uuid: jobs are numbered.
ALTER TABLE audit_log ALTER COLUMN target_id TYPE text;
