-- Suggestions name authors. Most accounts are readers, so the index has only those that have published: looking at every
-- reader whose name matches would cost too much. Whether a post is still public is checked in the query.
ALTER TABLE accounts ADD COLUMN has_published boolean NOT NULL DEFAULT false;
UPDATE accounts SET has_published = true
WHERE EXISTS (SELECT FROM posts WHERE posts.account_id = accounts.id AND posts.status = 'published');

CREATE FUNCTION mark_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET has_published = true WHERE id = NEW.account_id AND NOT has_published;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_author AFTER INSERT OR UPDATE OF status ON posts FOR EACH ROW
  WHEN (NEW.status = 'published') EXECUTE FUNCTION mark_author();

DROP INDEX accounts_name_trigrams;
CREATE INDEX accounts_name_trigrams ON accounts USING gin (fold_text(name || ' ' || handle) gin_trgm_ops)
  WHERE has_published AND NOT is_anonymous AND suspended_at IS NULL AND NOT starts_with(handle, 'user_');
