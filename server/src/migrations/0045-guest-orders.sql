-- Guests can pay with Nano. Their order has no payer until its money comes: then it gets the wallet that paid and, for a
-- purchase, an account. The version before this one does not know such orders.
ALTER TABLE orders ADD COLUMN is_guest boolean NOT NULL DEFAULT false;
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN SELECT conname AS name FROM pg_constraint
    WHERE conrelid = 'orders'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%payer_wallet IS NOT NULL%'
  LOOP
    EXECUTE format('ALTER TABLE orders DROP CONSTRAINT %I', found.name);
  END LOOP;
END $$;
ALTER TABLE orders ADD CONSTRAINT orders_payer_check
  CHECK (payer_id IS NOT NULL OR payer_wallet IS NOT NULL OR (is_guest AND received_at IS NULL));
-- How many are open is limited.
CREATE INDEX orders_open_guests ON orders (expires_at) WHERE is_guest AND state = 'pending';

-- The account that a guest moved the purchase into: known for an order, whatever it was paid with. The column of
-- checkouts is no longer used.
ALTER TABLE orders ADD COLUMN claimed_by uuid REFERENCES accounts;
UPDATE orders SET is_guest = true, claimed_by = checkout.claimed_by
FROM x402_payments payment JOIN checkouts checkout ON checkout.id = payment.checkout_id
WHERE payment.order_id = orders.id AND checkout.account_id IS NULL;
CREATE INDEX orders_claimed ON orders (claimed_by, kind, created_at DESC, id) WHERE claimed_by IS NOT NULL;

-- A checkout in USDC has no order before it is paid: its payments announce its changes.
CREATE FUNCTION notify_checkout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('orders', NEW.checkout_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER x402_payments_notify AFTER INSERT OR UPDATE ON x402_payments FOR EACH ROW
  WHEN (NEW.checkout_id IS NOT NULL) EXECUTE FUNCTION notify_checkout();
