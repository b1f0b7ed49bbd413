-- Decisions §9: whom an administrator suspended can neither sign in nor act. What they published stays until withdrawn.
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz;
