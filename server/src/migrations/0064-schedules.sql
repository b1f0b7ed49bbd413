-- When a post will be published, if its author has scheduled that.
ALTER TABLE posts ADD COLUMN scheduled_for timestamptz;
CREATE INDEX posts_scheduled ON posts (account_id, scheduled_for) WHERE scheduled_for IS NOT NULL;
