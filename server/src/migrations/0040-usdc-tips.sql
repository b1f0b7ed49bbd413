-- Tips can be paid in USDC too. Each asset has totals of its own: raw is Nano, atomic is USDC.
ALTER TABLE post_figures ADD COLUMN tip_total_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (tip_total_atomic >= 0);
ALTER TABLE comments ADD COLUMN tip_total_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (tip_total_atomic >= 0);
ALTER TABLE account_figures
  ADD COLUMN earned_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (earned_atomic >= 0),
  ADD COLUMN given_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (given_atomic >= 0),
  ADD COLUMN own_earned_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (own_earned_atomic >= 0),
  ADD COLUMN own_given_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (own_given_atomic >= 0);
UPDATE account_figures figures SET earned_atomic = counted.earned, given_atomic = counted.given
FROM (
  SELECT account_id, coalesce(sum(net_raw) FILTER (WHERE direction = 'in'), 0) AS earned,
    coalesce(sum(gross_raw) FILTER (WHERE direction = 'out'), 0) AS given
  FROM finance_lines WHERE asset = 'USDC' GROUP BY account_id) counted
WHERE counted.account_id = figures.account_id;
CREATE INDEX account_figures_earned_usdc ON account_figures ((earned_atomic - own_earned_atomic) DESC, account_id)
  WHERE earned_atomic - own_earned_atomic > 0;
CREATE INDEX account_figures_given_usdc ON account_figures ((given_atomic - own_given_atomic) DESC, account_id)
  WHERE given_atomic - own_given_atomic > 0;

-- A tip through x402 may be for a comment.
ALTER TABLE x402_payments ADD COLUMN comment_id uuid REFERENCES comments;
ALTER TABLE x402_payments ADD CHECK (comment_id IS NULL OR purpose = 'tip');

-- A supporter of a comment is an account, or a wallet without one.
ALTER TABLE comment_supporters ADD COLUMN wallet text;
ALTER TABLE comment_supporters ADD COLUMN tip_total_atomic numeric(39, 0) NOT NULL DEFAULT 0 CHECK (tip_total_atomic >= 0);
ALTER TABLE comment_supporters DROP CONSTRAINT comment_supporters_pkey;
ALTER TABLE comment_supporters ALTER COLUMN account_id DROP NOT NULL;
ALTER TABLE comment_supporters ADD CHECK (num_nonnulls(account_id, wallet) = 1);
ALTER TABLE comment_supporters ADD UNIQUE (comment_id, account_id);
ALTER TABLE comment_supporters ADD UNIQUE (comment_id, wallet);
ALTER TABLE comment_supporters DROP CONSTRAINT comment_supporters_tip_total_raw_check;
ALTER TABLE comment_supporters ALTER COLUMN tip_total_raw SET DEFAULT 0;
ALTER TABLE comment_supporters ADD CHECK (tip_total_raw >= 0 AND tip_total_raw + tip_total_atomic > 0);
DROP INDEX comment_supporters_ranked;
CREATE INDEX comment_supporters_ranked
  ON comment_supporters (comment_id, tip_total_raw DESC, tip_total_atomic DESC, coalesce(account_id::text, wallet));

CREATE OR REPLACE FUNCTION count_comment_tip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE comments SET
    tip_total_raw = tip_total_raw + NEW.tip_total_raw - CASE TG_OP WHEN 'UPDATE' THEN OLD.tip_total_raw ELSE 0 END,
    tip_total_atomic = tip_total_atomic + NEW.tip_total_atomic
      - CASE TG_OP WHEN 'UPDATE' THEN OLD.tip_total_atomic ELSE 0 END
  WHERE id = NEW.comment_id;
  RETURN NULL;
END $$;
