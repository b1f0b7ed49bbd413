-- A suspended account can neither sign in nor act. What it published stays until it is withdrawn.
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz;
