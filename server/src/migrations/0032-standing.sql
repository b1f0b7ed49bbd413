-- What readers do changes where a Post stands, and nothing else of its row: no word of it is read again for that.
ALTER TABLE catalog_stale ADD COLUMN is_standing_only boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION figures_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Also one that waits already is locked, so that the job cannot mend it before this change can be seen.
  INSERT INTO catalog_stale VALUES (NEW.post_id, true) ON CONFLICT (post_id) DO UPDATE SET post_id = excluded.post_id;
  RETURN NULL;
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
