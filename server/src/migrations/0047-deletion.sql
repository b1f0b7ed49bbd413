-- Indexes for what is deleted by its age.
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
-- Orders of guests that no money came for, and the stored replies to the keys of their tips.
CREATE INDEX orders_unpaid_guests ON orders (expires_at) WHERE is_guest AND received_at IS NULL AND received_raw = 0;
CREATE INDEX idempotent_replies_of_guest_tips ON idempotent_replies ((body ->> 'id')) WHERE scope LIKE 'checkout-tip:guest %';
