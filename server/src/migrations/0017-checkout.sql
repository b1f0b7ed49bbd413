-- Buying with USDC, for a guest or for the account that began it. What was paid is in x402_payments.
CREATE TABLE checkouts (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL REFERENCES posts,
  payee_id uuid NOT NULL REFERENCES accounts,
  -- Null: a guest.
  account_id uuid REFERENCES accounts,
  -- What the quote fixed.
  amount numeric(39, 0) NOT NULL CHECK (amount > 0),
  pay_to text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- The account that a guest moved the purchase into.
  claimed_by uuid REFERENCES accounts
);
ALTER TABLE x402_payments ADD FOREIGN KEY (checkout_id) REFERENCES checkouts;
ALTER TABLE x402_payments ADD CHECK ((purpose = 'checkout') = (checkout_id IS NOT NULL));
CREATE INDEX x402_payments_of_checkout ON x402_payments (checkout_id) WHERE checkout_id IS NOT NULL;
