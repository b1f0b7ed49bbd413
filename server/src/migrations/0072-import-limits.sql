-- Emails that imported addresses did not get, because their mailbox had as many as it may have on that day.
ALTER TABLE post_mailings ADD COLUMN skipped integer NOT NULL DEFAULT 0;

-- Mailboxes that no list may contain, whoever imports it: an address of theirs was imported, and its owner unsubscribed or
-- complained. A keyed hash, not the address.
CREATE TABLE import_blocks (
  mailbox bytea PRIMARY KEY,
  blocked_at timestamptz NOT NULL
);

-- How many emails of a kind a mailbox was sent on a day (UTC). A keyed hash, not the address.
CREATE TABLE mailbox_days (
  mailbox bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('confirmation', 'imported_post')),
  day date NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (mailbox, kind, day)
);
CREATE INDEX mailbox_days_age ON mailbox_days (day);
