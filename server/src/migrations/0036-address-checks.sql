-- When the money arrived that an address was given out for. Such an address is checked rarely.
ALTER TABLE nano_addresses ADD COLUMN paid_at timestamptz;
-- When the address was last checked.
ALTER TABLE nano_addresses ADD COLUMN checked_at timestamptz;
-- NULL: the address is checked only on request, because it was given out long ago.
ALTER TABLE nano_addresses ALTER COLUMN next_check_at DROP NOT NULL;

UPDATE nano_addresses SET paid_at = orders.received_at FROM orders
WHERE orders.address_id = nano_addresses.id AND orders.received_at IS NOT NULL;
UPDATE nano_addresses SET paid_at = arrived.at FROM (
  SELECT address_id, min(seen_at) AS at FROM nano_arrivals
  WHERE NOT EXISTS (SELECT FROM orders WHERE orders.address_id = nano_arrivals.address_id)
  GROUP BY address_id) arrived
WHERE arrived.address_id = nano_addresses.id;
