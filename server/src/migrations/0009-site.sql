-- What is public, the newest first: of the site and of one creator. Pages and feeds read nothing else to find their Posts.
CREATE INDEX posts_newest ON posts (published_at DESC, id DESC) WHERE status = 'published';
CREATE INDEX posts_newest_of_account ON posts (account_id, published_at DESC, id DESC) WHERE status = 'published';
-- When anything that is or was public changed last: the Last-Modified of the site's feeds.
CREATE INDEX posts_changed ON posts (updated_us DESC) WHERE status <> 'draft';
