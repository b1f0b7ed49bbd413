-- Purchases of guests that an account claimed: its list shows them.
CREATE INDEX checkouts_claimed ON checkouts (claimed_by) WHERE claimed_by IS NOT NULL;

-- Checkouts of guests that nobody paid are forgotten after their time, and what their keys were answered with them.
CREATE INDEX checkouts_of_guests ON checkouts (expires_at) WHERE account_id IS NULL;
CREATE INDEX idempotent_replies_of_guests ON idempotent_replies ((body ->> 'id')) WHERE scope LIKE 'checkout:guest %';
CREATE INDEX accounts_anonymous ON accounts (created_at) WHERE is_anonymous;

-- A transaction that is stuck is signed once more with a higher fee: the same call for the same payment with the same
-- nonce, so that one of them is mined at most. All of them are kept and looked for.
ALTER TABLE usdc_transactions DROP CONSTRAINT usdc_transactions_signer_nonce_key;
ALTER TABLE usdc_transactions ADD COLUMN replaces text;
ALTER TABLE usdc_transactions ADD CONSTRAINT usdc_transactions_place UNIQUE (hash, payment_id, signer, nonce);
ALTER TABLE usdc_transactions ADD CONSTRAINT usdc_transactions_replaces
  FOREIGN KEY (replaces, payment_id, signer, nonce) REFERENCES usdc_transactions (hash, payment_id, signer, nonce);
-- Only what replaces one of the same payment may share its nonce.
CREATE UNIQUE INDEX usdc_transactions_nonce ON usdc_transactions (signer, nonce) WHERE replaces IS NULL;
CREATE INDEX usdc_transactions_of_nonce ON usdc_transactions (signer, nonce, signed_at DESC);
