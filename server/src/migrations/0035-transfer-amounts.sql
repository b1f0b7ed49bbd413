-- A transfer login has an address of its own, so two of them may have the same amount. A unique amount let somebody with
-- many addresses take all of them.
DROP INDEX wallet_transfers_amount;
CREATE INDEX wallet_transfers_amount ON wallet_transfers (amount_raw) WHERE state = 'pending';
