CREATE SEQUENCE catalog_stamps;

-- What readers find: one narrow row for each published Post, written when the Post is, never when it is read.
CREATE TABLE catalog (
  post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
  published_at timestamptz NOT NULL,
  -- How it stands among others, now and for good: see posts/catalog/ranking.ts.
  score double precision NOT NULL,
  popularity double precision NOT NULL,
  price_kind text NOT NULL CHECK (price_kind IN ('free', 'XNO', 'USDC')),
  price_atomic numeric(39, 0) NOT NULL,
  is_agent boolean NOT NULL,
  has_attachments boolean NOT NULL,
  -- A ZIP is pending or ready: it decides the smallest price.
  has_zip boolean NOT NULL,
  receives_nano boolean NOT NULL,
  receives_base boolean NOT NULL,
  category text NOT NULL,
  language text NOT NULL,
  -- Another one with every change: what was made from a card is good while its stamp stands.
  stamp bigint NOT NULL DEFAULT nextval('catalog_stamps'),
  -- Hashes of what it can be found by: words (by the field that has them), facets and its band of scores.
  terms bigint[] NOT NULL
) WITH (toast_tuple_target = 128);
-- Kept beside the table and not in it: searches walk the rows, and narrow rows are walked quickly.
ALTER TABLE catalog ALTER COLUMN terms SET STORAGE EXTERNAL, ALTER COLUMN terms SET STATISTICS 200;

-- What lists show of a Post, put together when it is written: reading a page joins nothing. Beside the narrow rows.
CREATE TABLE catalog_cards (
  post_id uuid PRIMARY KEY REFERENCES catalog ON DELETE CASCADE,
  card text NOT NULL
);

-- Without a list of pending entries: a search would have to read it from end to end.
CREATE INDEX catalog_terms ON catalog USING gin (terms) WITH (fastupdate = off);
CREATE INDEX catalog_score ON catalog (score DESC, post_id) INCLUDE (stamp);
CREATE INDEX catalog_published ON catalog (published_at DESC, post_id) INCLUDE (stamp);
CREATE INDEX catalog_popularity ON catalog (popularity DESC, published_at DESC, post_id) INCLUDE (stamp);
CREATE INDEX catalog_price ON catalog (price_kind, price_atomic, post_id) INCLUDE (stamp);
CREATE INDEX catalog_category ON catalog (category, score DESC, post_id) INCLUDE (stamp);
CREATE INDEX catalog_language ON catalog (language, score DESC, post_id) INCLUDE (stamp);
CREATE INDEX catalog_agents ON catalog (score DESC, post_id) WHERE is_agent;
CREATE INDEX catalog_attachments ON catalog (score DESC, post_id) WHERE has_attachments;
CREATE INDEX catalog_paid ON catalog (published_at DESC, post_id DESC) WHERE price_kind <> 'free';

-- The values a row can be filtered by. Terms and counts are both made from these.
CREATE FUNCTION catalog_facets(entry catalog) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[
    'all',
    CASE WHEN entry.price_kind = 'free' THEN 'access=free' ELSE 'access=paid' END,
    CASE WHEN entry.is_agent THEN 'author=agent' ELSE 'author=human' END,
    CASE WHEN entry.has_attachments THEN 'has_attachments=true' ELSE 'has_attachments=false' END,
    'category=' || entry.category,
    'language=' || entry.language,
    'band=' || floor(entry.score)::text
  ]
$$;

-- A term is the head of a hash: of a word with its field (posts/catalog/search-terms.ts), or of a facet.
CREATE FUNCTION term_hash(term text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || encode(substr(sha256(convert_to(term, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint
$$;

CREATE FUNCTION add_facet_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.terms := ARRAY(
    SELECT DISTINCT term FROM unnest(NEW.terms || ARRAY(SELECT term_hash(facet) FROM unnest(catalog_facets(NEW)) facet)) term);
  -- Long enough, by repeating one, that PostgreSQL never keeps it in the row itself.
  NEW.terms := NEW.terms || array_fill(NEW.terms[1], ARRAY[greatest(0, 280 - cardinality(NEW.terms))]);
  RETURN NEW;
END $$;
CREATE TRIGGER add_facet_terms BEFORE INSERT OR UPDATE ON catalog FOR EACH ROW EXECUTE FUNCTION add_facet_terms();

-- How many rows have a facet. Each backend counts on its own rows, so that Posts published at once do not wait for each
-- other. The facet `version` only grows, with every change: an answer made at one version is good while it stands.
CREATE TABLE catalog_counts (
  facet text NOT NULL,
  shard integer NOT NULL,
  posts bigint NOT NULL,
  PRIMARY KEY (facet, shard)
) WITH (fillfactor = 50);

CREATE FUNCTION change_catalog_counts(gone text[], come text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mine integer := pg_backend_pid() % 64;
BEGIN
  -- Two backends of one shard take turns, or they could wait for each other's rows.
  PERFORM pg_advisory_xact_lock(7065513, mine);
  INSERT INTO catalog_counts AS counted (facet, shard, posts)
  SELECT facet, mine, sum(change) FROM (
    SELECT unnest(gone) AS facet, -1 AS change UNION ALL SELECT unnest(come), 1 UNION ALL SELECT 'version', 1
  ) changes GROUP BY facet HAVING sum(change) <> 0
  ON CONFLICT (facet, shard) DO UPDATE SET posts = counted.posts + excluded.posts;
END $$;

-- Once for a statement, however many rows it changed.
CREATE FUNCTION count_catalog() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone_facets text[] := '{}';
  come_facets text[] := '{}';
BEGIN
  IF TG_OP <> 'INSERT' THEN gone_facets := ARRAY(SELECT unnest(catalog_facets(gone)) FROM gone); END IF;
  IF TG_OP <> 'DELETE' THEN come_facets := ARRAY(SELECT unnest(catalog_facets(come)) FROM come); END IF;
  PERFORM change_catalog_counts(gone_facets, come_facets);
  RETURN NULL;
END $$;
CREATE TRIGGER count_added AFTER INSERT ON catalog REFERENCING NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_catalog();
CREATE TRIGGER count_changed AFTER UPDATE ON catalog REFERENCING OLD TABLE AS gone NEW TABLE AS come
  FOR EACH STATEMENT EXECUTE FUNCTION count_catalog();
CREATE TRIGGER count_removed AFTER DELETE ON catalog REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_catalog();

-- Posts whose row is behind what is true by now. A job mends them every few seconds.
CREATE TABLE catalog_stale (post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE);

-- For what an author waits for: the job that mends them runs at once, on whatever clock.
CREATE FUNCTION mend_catalog_now() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jobs SET run_at = '-infinity' WHERE key = 'every:index-stale-posts' AND claimed_by IS NULL;
  PERFORM pg_notify('jobs', '');
END $$;

CREATE FUNCTION mark_author_stale(author uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_stale SELECT id FROM posts WHERE account_id = author AND status = 'published' ORDER BY id
  ON CONFLICT (post_id) DO UPDATE SET post_id = excluded.post_id;
  IF FOUND THEN PERFORM mend_catalog_now(); END IF;
END $$;

CREATE FUNCTION account_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_author_stale(NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_catalog_stale AFTER UPDATE OF name, handle, author_kind ON accounts FOR EACH ROW
  WHEN ((OLD.name, OLD.handle, OLD.author_kind) IS DISTINCT FROM (NEW.name, NEW.handle, NEW.author_kind))
  EXECUTE FUNCTION account_changed();

CREATE FUNCTION receiving_address_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mark_author_stale(CASE WHEN TG_OP = 'DELETE' THEN OLD.account_id ELSE NEW.account_id END);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_catalog_stale AFTER INSERT OR DELETE ON receiving_addresses FOR EACH ROW
  EXECUTE FUNCTION receiving_address_changed();

CREATE FUNCTION figures_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Also one that waits already is locked, so that the job cannot mend it before this change can be seen.
  INSERT INTO catalog_stale VALUES (NEW.post_id) ON CONFLICT (post_id) DO UPDATE SET post_id = excluded.post_id;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_catalog_stale AFTER INSERT OR UPDATE ON post_figures FOR EACH ROW EXECUTE FUNCTION figures_changed();

CREATE FUNCTION uploads_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_stale SELECT id FROM posts WHERE id = NEW.post_id AND status = 'published'
  ON CONFLICT (post_id) DO UPDATE SET post_id = excluded.post_id;
  IF FOUND THEN PERFORM mend_catalog_now(); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_catalog_stale AFTER UPDATE ON post_uploads FOR EACH ROW
  WHEN ((OLD.active_count, OLD.attachments) IS DISTINCT FROM (NEW.active_count, NEW.attachments))
  EXECUTE FUNCTION uploads_changed();

INSERT INTO catalog_stale SELECT id FROM posts WHERE status = 'published';

-- Who opened a Post, as far as needed to count people and not visits: a keyed hash that changes with the month.
CREATE TABLE post_readers (
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  reader bytea NOT NULL,
  seen_on date NOT NULL,
  PRIMARY KEY (post_id, reader)
);
CREATE INDEX post_readers_age ON post_readers (seen_on);

CREATE INDEX account_figures_followers ON account_figures (follower_count DESC, account_id) WHERE follower_count > 0;
CREATE INDEX account_figures_sales ON account_figures (sales_count DESC, account_id) WHERE sales_count > 0;
CREATE INDEX account_figures_earned ON account_figures (earned_raw DESC, account_id) WHERE earned_raw > 0;
CREATE INDEX account_figures_given ON account_figures (given_raw DESC, account_id) WHERE given_raw > 0;
