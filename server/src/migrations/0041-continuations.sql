-- Somebody who entered an email address to sign in or sign up, and has ten minutes to prove it.
CREATE TABLE continuations (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX continuations_expiry ON continuations (expires_at);

ALTER TABLE email_codes DROP CONSTRAINT email_codes_purpose_check;
ALTER TABLE email_codes ADD CONSTRAINT email_codes_purpose_check
  CHECK (purpose IN ('registration', 'login', 'continuation', 'email_change'));
