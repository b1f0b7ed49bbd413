-- USDC: the chain showed that no money can come of it any more, though its time is not over yet.
ALTER TABLE x402_payments ADD COLUMN is_final boolean NOT NULL DEFAULT false;

-- What we gave up may be paid after all, though its quote was paid by another since: both are sales. Whether a quote may
-- still be used is asked under its lock.
DROP INDEX x402_payments_of_quote;
CREATE UNIQUE INDEX x402_payments_of_quote ON x402_payments (quote_hash) WHERE state = 'settling';
CREATE INDEX x402_payments_settled_quotes ON x402_payments (quote_hash) WHERE state = 'settled';
