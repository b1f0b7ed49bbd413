-- Jobs that were renamed: those that wait keep waiting under the new name.
UPDATE jobs SET name = 'notify-administrators' WHERE name = 'tell-administrators';

ALTER TABLE jobs RENAME COLUMN gives_way TO low_priority;

-- The sealed token of an x402 payment is an offer; a quote is the price that an order fixes for an hour.
ALTER TABLE x402_payments RENAME COLUMN quote_hash TO offer_hash;
ALTER INDEX x402_payments_of_quote RENAME TO x402_payments_of_offer;
UPDATE jobs SET name = 'notify-of-money' WHERE name = 'tell-of-money';
