-- What readers do changes where a Post stands, and nothing else of its row: no word of it is read again for that.
ALTER TABLE catalog_stale ADD COLUMN is_standing_only boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION figures_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Also one that waits already is locked, so that the job cannot mend it before this change can be seen.
  INSERT INTO catalog_stale VALUES (NEW.post_id, true) ON CONFLICT (post_id) DO UPDATE SET post_id = excluded.post_id;
  RETURN NULL;
END $$;

-- What an author waits for is mended by a job of the author's own, promised with the change itself. The job that runs by
-- itself was only brought forward before, and it is not always there to be: it is promised anew seconds after each run.
-- Without a key: those who wait for one row could wait for each other, and a job that finds nothing to do costs nothing.
CREATE FUNCTION mend_catalog_of(author uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (name, payload, queue, run_at, max_attempts)
  VALUES ('index-stale-posts', jsonb_build_object('accountId', author), 'index-stale-posts:' || author, '-infinity', 3);
  PERFORM pg_notify('jobs', '');
END $$;

CREATE OR REPLACE FUNCTION mark_author_stale(author uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_stale SELECT id FROM posts WHERE account_id = author AND status = 'published' ORDER BY id
  ON CONFLICT (post_id) DO UPDATE SET is_standing_only = false;
  IF FOUND THEN PERFORM mend_catalog_of(author); END IF;
END $$;

CREATE OR REPLACE FUNCTION uploads_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author uuid;
BEGIN
  SELECT account_id INTO author FROM posts WHERE id = NEW.post_id AND status = 'published';
  IF FOUND THEN
    INSERT INTO catalog_stale VALUES (NEW.post_id) ON CONFLICT (post_id) DO UPDATE SET is_standing_only = false;
    PERFORM mend_catalog_of(author);
  END IF;
  RETURN NULL;
END $$;

DROP FUNCTION mend_catalog_now();

-- Cards show the author's picture too.
CREATE FUNCTION avatar_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_author_stale(NEW.account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_catalog_stale AFTER UPDATE OF avatar_url ON profiles FOR EACH ROW
  WHEN (OLD.avatar_url IS DISTINCT FROM NEW.avatar_url) EXECUTE FUNCTION avatar_changed();
CREATE TRIGGER mark_catalog_stale_first AFTER INSERT ON profiles FOR EACH ROW
  WHEN (NEW.avatar_url IS NOT NULL) EXECUTE FUNCTION avatar_changed();
-- Those whose picture changed before this.
INSERT INTO catalog_stale SELECT post.id FROM posts post JOIN profiles profile ON profile.account_id = post.account_id
  JOIN catalog_cards shown ON shown.post_id = post.id
  WHERE post.status = 'published' AND shown.card::jsonb ->> 'avatar_url' IS DISTINCT FROM profile.avatar_url
  ON CONFLICT DO NOTHING;

-- Long texts are found by all their words, and paid texts without spaces no longer by single letters.
INSERT INTO catalog_stale SELECT id FROM posts WHERE status = 'published'
  AND (octet_length(paid_text) > char_length(paid_text) OR char_length(free_text) + char_length(paid_text) > 20000)
  ON CONFLICT DO NOTHING;

-- A row that only stands elsewhere keeps its terms, but for the band that it left.
CREATE OR REPLACE FUNCTION add_facet_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  left_behind bigint[] := '{}';
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.terms = OLD.terms THEN
      left_behind := ARRAY(SELECT term_hash(facet) FROM (
        SELECT unnest(catalog_facets(OLD)) EXCEPT SELECT unnest(catalog_facets(NEW))) AS gone(facet));
      IF left_behind = '{}' THEN RETURN NEW; END IF;
    END IF;
  END IF;
  NEW.terms := ARRAY(
    SELECT DISTINCT term FROM unnest(NEW.terms || ARRAY(SELECT term_hash(facet) FROM unnest(catalog_facets(NEW)) facet)) term
    WHERE term <> ALL (left_behind));
  -- Long enough, by repeating one, that PostgreSQL never keeps it in the row itself.
  NEW.terms := NEW.terms || array_fill(NEW.terms[1], ARRAY[greatest(0, 280 - cardinality(NEW.terms))]);
  RETURN NEW;
END $$;
