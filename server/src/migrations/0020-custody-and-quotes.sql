-- The seed that this database's addresses are of, known by its first address. Bound before anything is given out.
CREATE TABLE nano_seed (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  first_address text NOT NULL
);

-- What went back of a session, for whoever watches it.
CREATE INDEX payouts_refunds_of_session ON payouts (session_id) INCLUDE (amount) WHERE role = 'refund';

-- Money that waits for more: looked through for what was forgotten.
CREATE INDEX session_arrivals_open ON session_arrivals (session_id) WHERE settled_at IS NULL;

-- Quotes that wait for their money: an account has few.
CREATE INDEX payment_sessions_pending ON payment_sessions (payer_id) WHERE state = 'pending';
