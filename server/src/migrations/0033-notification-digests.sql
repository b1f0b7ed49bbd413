-- An hour has room for a number of emails and pushes to one person. `counted_at`: when a message took its place in it.
-- `held_at`: when an email found no place. It waits for the next digest.
ALTER TABLE notification_deliveries ADD COLUMN counted_at timestamptz, ADD COLUMN held_at timestamptz;
CREATE INDEX notification_deliveries_counted ON notification_deliveries (account_id, channel, counted_at)
  WHERE counted_at IS NOT NULL;
