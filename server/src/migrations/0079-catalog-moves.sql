-- What readers do moves a post in the orders of the catalog, and nothing else. Until now each move compared the post's search
-- terms, and a new whole score rewrote them with all their index entries, because the band of the score is one of the terms.

-- The band that the search terms of a post say. It follows the score from a distance, so that most moves leave the terms alone.
-- NULL: the band of the score.
ALTER TABLE catalog ADD COLUMN band integer;

-- How far a score may leave the band in the search terms. Searches look that many bands further: see discovery/search-catalog.ts.
CREATE FUNCTION band_slack() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 3;

CREATE FUNCTION indexed_band(entry catalog) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN coalesce(entry.band, floor(entry.score)::integer);

CREATE FUNCTION keep_band() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.band := coalesce(OLD.band, floor(OLD.score)::integer);
  IF abs(floor(NEW.score)::integer - NEW.band) > band_slack() THEN NEW.band := floor(NEW.score)::integer; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_band BEFORE UPDATE OF score ON catalog FOR EACH ROW
  WHEN (NEW.score <> OLD.score) EXECUTE FUNCTION keep_band();

-- The search terms of a post: its words, its facets and its band. Sorted, so that equal terms are equal arrays; and long enough,
-- by repeating one, that PostgreSQL never stores them in the row itself.
CREATE FUNCTION search_terms_of(words bigint[], entry catalog) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT terms || array_fill(terms[1], ARRAY[greatest(0, 280 - cardinality(terms))])
  FROM (SELECT ARRAY(
    SELECT DISTINCT term FROM unnest(words || ARRAY(
      SELECT term_hash(facet) FROM unnest(catalog_facets(entry)) facet WHERE NOT starts_with(facet, 'band=')
      UNION ALL SELECT term_hash('band=' || indexed_band(entry)))) term ORDER BY term) AS terms) completed
$$;

-- `catalog.terms` is for processes of the version before, which write the words of a post there. This version writes search_terms
-- itself. The next release drops the column, these triggers and add_facet_terms.
ALTER TABLE catalog ALTER COLUMN terms SET DEFAULT '{}';
DROP TRIGGER add_facet_terms ON catalog;
DROP TRIGGER copy_new_terms ON catalog;
DROP TRIGGER copy_changed_terms ON catalog;
CREATE OR REPLACE FUNCTION copy_search_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_terms (post_id, terms) VALUES (NEW.post_id, search_terms_of(NEW.terms, NEW))
  ON CONFLICT (post_id) DO UPDATE SET terms = excluded.terms;
  RETURN NULL;
END $$;
CREATE TRIGGER copy_new_terms AFTER INSERT ON catalog FOR EACH ROW
  WHEN (NEW.terms <> '{}') EXECUTE FUNCTION copy_search_terms();
CREATE TRIGGER copy_changed_terms AFTER UPDATE OF terms ON catalog FOR EACH ROW
  WHEN (NEW.terms <> '{}') EXECUTE FUNCTION copy_search_terms();

-- Adds to the counts what has come, and takes away what is gone.
CREATE OR REPLACE FUNCTION change_catalog_counts(gone text[], come text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mine integer := pg_backend_pid() % 64;
BEGIN
  -- Two backends of one shard take turns, or they could wait for each other's rows.
  PERFORM pg_advisory_xact_lock(7065513, mine);
  INSERT INTO catalog_counts AS counted (facet, shard, posts)
  SELECT facet, mine, sum(change) FROM (
    SELECT unnest(gone) AS facet, -1 AS change UNION ALL SELECT unnest(come), 1
  ) changes GROUP BY facet HAVING sum(change) <> 0
  ON CONFLICT (facet, shard) DO UPDATE SET posts = counted.posts + excluded.posts;
END $$;

-- Two numbers grow with changes. `content`: posts have come or gone, or what lists say about one has changed. `version`: that, or
-- the order of two posts has changed.
CREATE OR REPLACE FUNCTION count_catalog() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone_facets text[] := '{}';
  come_facets text[] := '{content,version}';
BEGIN
  IF TG_OP <> 'INSERT' THEN gone_facets := ARRAY(SELECT unnest(catalog_facets(gone)) FROM gone); END IF;
  IF TG_OP <> 'DELETE' THEN come_facets := come_facets || ARRAY(SELECT unnest(catalog_facets(come)) FROM come); END IF;
  PERFORM change_catalog_counts(gone_facets, come_facets);
  RETURN NULL;
END $$;

-- Without sequential scans: the planner does not know that the ranges are narrow.
CREATE FUNCTION count_catalog_changes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  gone_facets text[] := '{}';
  come_facets text[] := '{}';
BEGIN
  UPDATE search_terms SET terms = array_replace(search_terms.terms, term_hash('band=' || moved.old), term_hash('band=' || moved.new))
  FROM (SELECT come.post_id, indexed_band(gone) AS old, indexed_band(come) AS new FROM come JOIN gone USING (post_id)
    WHERE come.score <> gone.score) moved
  WHERE search_terms.post_id = moved.post_id AND moved.old <> moved.new;

  -- Aggregates and CTEs here are for the planner: looking for a first row, it would compare every row with every other.
  IF (SELECT bool_or((come.stamp, come.published_at, come.price_kind, come.price_atomic, come.is_agent, come.has_attachments,
        come.has_zip, come.receives_nano, come.receives_base, come.category, come.language)
      <> (gone.stamp, gone.published_at, gone.price_kind, gone.price_atomic, gone.is_agent, gone.has_attachments,
        gone.has_zip, gone.receives_nano, gone.receives_base, gone.category, gone.language))
    FROM come JOIN gone USING (post_id))
  THEN
    gone_facets := ARRAY(SELECT unnest(catalog_facets(gone)) FROM gone);
    come_facets := '{content,version}' || ARRAY(SELECT unnest(catalog_facets(come)) FROM come);
  ELSE
    gone_facets := ARRAY(SELECT 'band=' || floor(gone.score) FROM gone JOIN come USING (post_id)
      WHERE floor(gone.score) <> floor(come.score));
    come_facets := ARRAY(SELECT 'band=' || floor(come.score) FROM come JOIN gone USING (post_id)
      WHERE floor(gone.score) <> floor(come.score));
    -- Two posts have changed places if one of them was or is between the old and the new place of the other. Equal places count:
    -- what decides then may be anything.
    IF EXISTS (
        WITH moved AS MATERIALIZED (
          SELECT post_id, gone.score AS old, least(come.score, gone.score) AS low, greatest(come.score, gone.score) AS high
          FROM come JOIN gone USING (post_id) WHERE come.score <> gone.score)
        SELECT FROM moved WHERE
          EXISTS (SELECT FROM catalog other WHERE other.score BETWEEN low AND high AND other.post_id <> moved.post_id)
          OR EXISTS (SELECT FROM moved other WHERE other.old BETWEEN moved.low AND moved.high AND other.post_id <> moved.post_id))
      OR EXISTS (
        WITH moved AS MATERIALIZED (
          SELECT post_id, gone.popularity AS old, least(come.popularity, gone.popularity) AS low, greatest(come.popularity, gone.popularity) AS high
          FROM come JOIN gone USING (post_id) WHERE come.popularity <> gone.popularity)
        SELECT FROM moved WHERE
          EXISTS (SELECT FROM catalog other WHERE other.popularity BETWEEN low AND high AND other.post_id <> moved.post_id)
          OR EXISTS (SELECT FROM moved other WHERE other.old BETWEEN moved.low AND moved.high AND other.post_id <> moved.post_id))
    THEN come_facets := come_facets || 'version'::text;
    END IF;
  END IF;
  IF gone_facets <> '{}' OR come_facets <> '{}' THEN PERFORM change_catalog_counts(gone_facets, come_facets); END IF;
  RETURN NULL;
END $$;
DROP TRIGGER count_changed ON catalog;
CREATE TRIGGER count_changed AFTER UPDATE ON catalog REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_changes();

-- Room on each page for the next version of a row: then no index entry has to be written. For pages from now on.
ALTER TABLE post_figures SET (fillfactor = 85);
ALTER TABLE catalog_cards SET (fillfactor = 90);

-- Finds the marks of one kind without reading those of the other.
CREATE INDEX catalog_stale_moved ON catalog_stale (id) WHERE is_standing_only;
