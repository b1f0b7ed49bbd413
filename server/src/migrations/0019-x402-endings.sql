-- USDC: the chain showed that no money can come of it any more, though its time is not over yet.
ALTER TABLE x402_payments ADD COLUMN is_final boolean NOT NULL DEFAULT false;
