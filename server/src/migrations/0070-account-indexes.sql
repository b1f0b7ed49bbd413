-- Finding everything of one account, for its export and its deletion.
CREATE INDEX comments_of_author ON comments (author_id, created_at, id);
CREATE INDEX post_reactions_of_account ON post_reactions (account_id, created_at);
CREATE INDEX comment_reactions_of_account ON comment_reactions (account_id, created_at);
CREATE INDEX reports_of_reporter ON reports (reporter_id, created_at);
CREATE INDEX notifications_of_actor ON notifications (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX notification_deliveries_of_actor ON notification_deliveries (actor_id) WHERE actor_id IS NOT NULL;
