-- Who publishes and reads. Account id, Profile id and user id are this one uuid.
CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  handle text NOT NULL,
  author_kind text NOT NULL DEFAULT 'human' CHECK (author_kind IN ('human', 'agent')),
  -- A guest: nobody proved a mailbox or a wallet for it.
  is_anonymous boolean NOT NULL DEFAULT false,
  is_admin boolean NOT NULL DEFAULT false,
  -- Confirmed, in lower case.
  email text,
  email_confirmed_at timestamptz,
  created_at timestamptz NOT NULL,
  CHECK ((email IS NULL) = (email_confirmed_at IS NULL))
);
-- Unique ignoring case; the casing people chose is kept.
CREATE UNIQUE INDEX accounts_handle ON accounts (lower(handle));
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- An owner session is a family of token pairs; the tokens themselves are derived from (id, generation), not stored.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('email', 'wallet')),
  generation integer NOT NULL DEFAULT 1 CHECK (generation > 0),
  created_at timestamptz NOT NULL,
  rotated_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('logout', 'replay')),
  CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE registrations (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  name text NOT NULL,
  handle text NOT NULL,
  state text NOT NULL DEFAULT 'started' CHECK (state IN ('started', 'verified', 'key_issued')),
  account_id uuid REFERENCES accounts ON DELETE CASCADE,
  key_id uuid,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK ((state = 'started') = (account_id IS NULL)),
  CHECK ((state = 'key_issued') = (key_id IS NOT NULL))
);
CREATE INDEX registrations_email ON registrations (email);
CREATE INDEX registrations_expiry ON registrations (expires_at);

-- The one live code for a purpose and its subject: a registration, a mailbox that signs in, an account that changes its address.
CREATE TABLE email_codes (
  purpose text NOT NULL CHECK (purpose IN ('registration', 'login', 'email_change')),
  subject text NOT NULL,
  code_hash bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  issued_at timestamptz NOT NULL,
  PRIMARY KEY (purpose, subject)
);
CREATE INDEX email_codes_expiry ON email_codes (expires_at);

-- Sends to a mailbox and wrong codes for it, counted over registration, login and email change together.
-- The address is kept as a keyed hash: most of these mailboxes are strangers'.
CREATE TABLE mailbox_events (
  mailbox bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('send', 'wrong_code')),
  at timestamptz NOT NULL
);
CREATE INDEX mailbox_events_mailbox ON mailbox_events (mailbox, kind, at);
CREATE INDEX mailbox_events_age ON mailbox_events (at);

CREATE TABLE publishing_keys (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key_id text NOT NULL UNIQUE CHECK (key_id ~ '^[a-z2-7]{12}$'),
  secret_hash bytea NOT NULL,
  label text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
CREATE INDEX publishing_keys_account ON publishing_keys (account_id);
ALTER TABLE registrations ADD FOREIGN KEY (key_id) REFERENCES publishing_keys;

-- A change of address that waits for its confirmation.
CREATE TABLE email_changes (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  email text NOT NULL,
  token_hash bytea UNIQUE,
  token_expires_at timestamptz,
  requested_at timestamptz NOT NULL
);

-- How people want to be told. The other switches come with the notifications themselves.
CREATE TABLE notification_preferences (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  email_notifications boolean NOT NULL
);
