-- What strangers can make the settler spend is limited by what they have made it spend before.
ALTER TABLE x402_payments ADD COLUMN client bytea, ADD COLUMN fee_wei numeric(39, 0), ADD COLUMN reverted_at timestamptz;
CREATE INDEX x402_payments_reverted ON x402_payments (payer, reverted_at) WHERE reverted_at IS NOT NULL;
CREATE INDEX x402_payments_reverted_of_client ON x402_payments (client, reverted_at) WHERE reverted_at IS NOT NULL;
CREATE INDEX x402_payments_settling_of_client ON x402_payments (client) WHERE state = 'settling';
CREATE INDEX x402_payments_settling_of_payer ON x402_payments (payer, network) WHERE state = 'settling';

-- What gas has cost, by day (UTC): the payments that succeeded, and those that did not.
CREATE TABLE gas_days (
  day date PRIMARY KEY,
  sold_wei numeric(39, 0) NOT NULL,
  wasted_wei numeric(39, 0) NOT NULL
);
