-- What people paid to themselves, and what two people paid to each other and back, as far as wallets show it. It counts in
-- figures and finances, but not on leaderboards.
ALTER TABLE account_figures
  ADD COLUMN own_sales_count integer NOT NULL DEFAULT 0 CHECK (own_sales_count >= 0),
  ADD COLUMN own_earned_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (own_earned_raw >= 0),
  ADD COLUMN own_given_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (own_given_raw >= 0);

-- The orders that were checked for it. Older ones count.
CREATE TABLE own_payment_checks (
  order_id uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  is_own boolean NOT NULL
);

DROP INDEX account_figures_sales, account_figures_earned, account_figures_given;
CREATE INDEX account_figures_sales ON account_figures ((sales_count - own_sales_count) DESC, account_id)
  WHERE sales_count - own_sales_count > 0;
CREATE INDEX account_figures_earned ON account_figures ((earned_raw - own_earned_raw) DESC, account_id)
  WHERE earned_raw - own_earned_raw > 0;
CREATE INDEX account_figures_given ON account_figures ((given_raw - own_given_raw) DESC, account_id)
  WHERE given_raw - own_given_raw > 0;
