-- Every change adds a mark of its own. While a post had one mark, whoever commented on it waited for the job that was bringing
-- the catalog up to date, with a connection that others needed.
ALTER TABLE catalog_stale DROP CONSTRAINT catalog_stale_pkey, ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
CREATE INDEX catalog_stale_of_post ON catalog_stale (post_id);

CREATE OR REPLACE FUNCTION figures_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_stale (post_id, is_standing_only) VALUES (NEW.post_id, true);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION mark_author_stale(author uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_stale (post_id) SELECT id FROM posts WHERE account_id = author AND status = 'published';
  IF FOUND THEN PERFORM mend_catalog_of(author); END IF;
END $$;

CREATE OR REPLACE FUNCTION uploads_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author uuid;
BEGIN
  SELECT account_id INTO author FROM posts WHERE id = NEW.post_id AND status = 'published';
  IF FOUND THEN
    INSERT INTO catalog_stale (post_id) VALUES (NEW.post_id);
    PERFORM mend_catalog_of(author);
  END IF;
  RETURN NULL;
END $$;
