-- How people want to be notified: every switch of the API with its default. `notify_…` is by
-- mail, `notify_…_inapp` in the feed; whether mail is on at all was decided when the account began.
ALTER TABLE notification_preferences
  ADD COLUMN in_app_notifications boolean NOT NULL DEFAULT true,
  ADD COLUMN push_notifications boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_new_purchase boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_tip_received boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_payout_sent boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_new_post boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_new_follow boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_account_issues boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_summaries boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_new_comment boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_comment_reply boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_comment_mention boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_commented_post_activity boolean NOT NULL DEFAULT false,
  ADD COLUMN notify_new_purchase_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_tip_received_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_payout_sent_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_new_post_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_new_follow_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_account_issues_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_summaries_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_new_comment_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_comment_reply_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_comment_mention_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN notify_commented_post_activity_inapp boolean NOT NULL DEFAULT true,
  ADD COLUMN show_on_creator_leaderboards boolean NOT NULL DEFAULT true,
  ADD COLUMN show_on_supporter_leaderboard boolean NOT NULL DEFAULT true;

INSERT INTO notification_preferences (account_id, email_notifications)
  SELECT id, email IS NOT NULL FROM accounts ON CONFLICT DO NOTHING;

-- The feed. What it names may go; what was told stays, so nothing here refers to another table but its owner.
CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind ~ '^[a-z][a-z0-9_]{0,63}$'),
  -- What happened, such as `comment:<id>`: nobody is told of one thing twice, however often the teller runs.
  origin text NOT NULL,
  actor_id uuid,
  post_id uuid,
  purchase_id uuid,
  comment_id uuid,
  follower_id uuid,
  title text NOT NULL,
  body text NOT NULL,
  url text NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz
);
CREATE UNIQUE INDEX notifications_once ON notifications (account_id, origin);
CREATE INDEX notifications_feed ON notifications (account_id, created_at DESC, id DESC);
-- For a feed that leaves kinds out: each kind is read from its own end.
CREATE INDEX notifications_kind ON notifications (account_id, kind, created_at DESC, id DESC);
CREATE INDEX notifications_unread ON notifications (account_id, kind, created_at) WHERE read_at IS NULL;
CREATE INDEX notifications_unread_post ON notifications (account_id, post_id)
  WHERE read_at IS NULL AND post_id IS NOT NULL;
-- Also for a Comment that is deleted: everybody's rows about it.
CREATE INDEX notifications_comment ON notifications (comment_id, account_id) WHERE comment_id IS NOT NULL;
CREATE INDEX notifications_unread_purchase ON notifications (account_id, purchase_id)
  WHERE read_at IS NULL AND purchase_id IS NOT NULL;
CREATE INDEX notifications_unread_follower ON notifications (account_id, follower_id)
  WHERE read_at IS NULL AND follower_id IS NOT NULL;

-- How many there are of each kind, kept by the statements that write the feed: nobody counts a million rows to show a
-- number. Everything up to `read_through` is read, whether its own row says so yet or not.
CREATE TABLE notification_counts (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind text NOT NULL,
  total integer NOT NULL CHECK (total >= 0),
  unread integer NOT NULL CHECK (unread BETWEEN 0 AND total),
  read_through timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (account_id, kind)
);

-- A Post whose discussion somebody does not want to hear of.
CREATE TABLE notification_mutes (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  muted_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, post_id)
);

-- Messages that leave the house: one row is one mail, or one push to each of somebody's devices. It holds its own text,
-- because somebody may have mail on and the feed off.
CREATE TABLE notification_deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  channel text NOT NULL CHECK (channel IN ('email', 'push')),
  kind text NOT NULL,
  origin text NOT NULL,
  actor_id uuid,
  post_id uuid,
  comment_id uuid,
  title text NOT NULL,
  body text NOT NULL,
  url text NOT NULL,
  -- The confirmed address when it was told. A mail goes there or nowhere.
  address text,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'cancelled')),
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  CHECK ((channel = 'email') = (address IS NOT NULL)),
  CHECK ((state = 'waiting') = (settled_at IS NULL))
);
CREATE UNIQUE INDEX notification_deliveries_once ON notification_deliveries (account_id, origin, channel);
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (account_id) WHERE state = 'waiting';
CREATE INDEX notification_deliveries_comment ON notification_deliveries (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX notification_deliveries_age ON notification_deliveries (created_at)
  WHERE state <> 'waiting' AND kind <> 'new_follow';

-- A browser that may be sent messages.
CREATE TABLE push_subscriptions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  endpoint text NOT NULL UNIQUE,
  p256dh text NOT NULL,
  auth text NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX push_subscriptions_account ON push_subscriptions (account_id, created_at);

-- Who wants to hear of whose Posts.
CREATE TABLE follows (
  id uuid PRIMARY KEY,
  creator_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  follower_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  notify_new_posts boolean NOT NULL DEFAULT true,
  notify_channel_email boolean NOT NULL DEFAULT false,
  notify_channel_inapp boolean NOT NULL DEFAULT true,
  CHECK (creator_id <> follower_id)
);
-- Also the order in which followers are told.
CREATE UNIQUE INDEX follows_once ON follows (creator_id, follower_id);
CREATE INDEX follows_followers ON follows (creator_id, created_at DESC, id);
CREATE INDEX follows_following ON follows (follower_id, created_at DESC, id);

-- What an account's figures were when it was last summed up. No row: never yet.
CREATE TABLE account_summaries (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  summed_at timestamptz NOT NULL,
  sales_count integer NOT NULL,
  earned_raw numeric(39, 0) NOT NULL,
  follower_count integer NOT NULL,
  comment_count integer NOT NULL
);

-- A Post told to many is many mails. They give way, so that nobody's sign-in code waits behind them.
ALTER TABLE jobs ADD COLUMN gives_way boolean NOT NULL DEFAULT false;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (gives_way, run_at, id) WHERE claimed_by IS NULL AND dead_at IS NULL;
