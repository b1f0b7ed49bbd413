-- When each person last commented: only those who did so last are notified of a new comment. Null: never since the first one.
ALTER TABLE post_commenters ADD COLUMN last_at timestamptz;
CREATE INDEX post_commenters_latest ON post_commenters (post_id, coalesce(last_at, first_at) DESC, account_id)
  WHERE comment_count > 0;

-- Subscriptions are deleted by when they end.
CREATE INDEX push_subscriptions_expiry ON push_subscriptions (expires_at) WHERE expires_at IS NOT NULL;
