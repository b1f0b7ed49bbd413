-- Lists that creators imported, with what they said about the consent of the people on them.
CREATE TABLE subscriber_imports (
  id uuid PRIMARY KEY,
  creator_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent_source text NOT NULL,
  total integer NOT NULL,
  imported integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX subscriber_imports_of_creator ON subscriber_imports (creator_id, created_at);

CREATE SEQUENCE subscriber_positions;

-- Addresses that get a creator's new posts. A row without a position waits for its owner to confirm it. Positions are in the
-- order of confirmation: lists and mailings page by them. Who unsubscribes is deleted.
CREATE TABLE subscribers (
  id uuid PRIMARY KEY,
  creator_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email text NOT NULL,
  source text NOT NULL CHECK (source IN ('form', 'account', 'import')),
  position bigint,
  created_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  -- The confirmation emails sent for this row, and the last one.
  confirmations smallint NOT NULL DEFAULT 0,
  confirmation_at timestamptz,
  UNIQUE (creator_id, email),
  CHECK ((position IS NULL) = (confirmed_at IS NULL))
);
CREATE UNIQUE INDEX subscribers_listed ON subscribers (creator_id, position) WHERE position IS NOT NULL;
CREATE INDEX subscribers_pending ON subscribers (created_at) WHERE position IS NULL;
CREATE INDEX subscribers_of_address ON subscribers (email);

-- How many confirmed subscribers a creator has. Counting a million takes longer than a page may.
CREATE TABLE subscriber_counts (
  creator_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  confirmed bigint NOT NULL CHECK (confirmed >= 0)
);

-- Addresses that a list must not bring back: a keyed hash of creator and address, not the address.
CREATE TABLE ended_subscriptions (
  creator_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  address_hash bytea NOT NULL,
  reason text NOT NULL CHECK (reason IN ('unsubscribed', 'bounced')),
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (creator_id, address_hash)
);

-- A post that is mailed to the subscribers its author had when it was published: those up to `last_position`. `next_after` is
-- the position of the last one whose email was begun.
CREATE TABLE post_mailings (
  post_id uuid PRIMARY KEY REFERENCES posts (id) ON DELETE CASCADE,
  creator_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  next_after bigint NOT NULL DEFAULT 0,
  last_position bigint NOT NULL,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped')),
  sent integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  uncertain integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX post_mailings_of_creator ON post_mailings (creator_id, created_at);

-- An email of a mailing that is not finished, or did not get through. The row, and `next_after` of its mailing, are committed
-- before the mail server gets the message, so nobody is mailed twice; the row of an email that was sent is deleted. Without a
-- foreign key to the subscriber, who may unsubscribe meanwhile: the row has no address.
CREATE TABLE post_emails (
  post_id uuid NOT NULL REFERENCES post_mailings (post_id) ON DELETE CASCADE,
  subscriber_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('sending', 'waiting', 'refused', 'uncertain')),
  attempts smallint NOT NULL DEFAULT 1,
  -- When an email that the mail server put off is tried again.
  retry_at timestamptz,
  PRIMARY KEY (post_id, subscriber_id)
);
