-- The page of a post is at /@{handle}/{slug}. This table has every slug that a post had while it was published. The current one is
-- in posts.slug; the others redirect to it.
CREATE TABLE post_slugs (
  account_id uuid NOT NULL,
  slug text NOT NULL,
  -- Deferred, because the trigger claims the slug of a new post before the post is there.
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  claimed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, slug)
);
CREATE INDEX post_slugs_post ON post_slugs (post_id, claimed_at DESC);

-- A trigger claims slugs, so that every way to publish does: this version, the one before it during an update, imports.
CREATE FUNCTION claim_slug() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  short_id text := left(NEW.id::text, 8);
  candidate text;
BEGIN
  -- A title without letters and digits.
  IF NEW.slug = '' THEN NEW.slug := short_id; END IF;
  IF NEW.status <> 'published' THEN RETURN NEW; END IF;
  -- Someone may publish thousands of posts with one title, so after a few numbers the id makes the slug unique.
  FOREACH candidate IN ARRAY ARRAY[NEW.slug, NEW.slug || '-2', NEW.slug || '-3', NEW.slug || '-4', NEW.slug || '-' || short_id,
    NEW.slug || '-' || NEW.id]
  LOOP
    -- Waits for another transaction that claims the same slug. Changes nothing if another post has it.
    INSERT INTO post_slugs (account_id, slug, post_id) VALUES (NEW.account_id, candidate, NEW.id)
    ON CONFLICT (account_id, slug) DO UPDATE SET claimed_at = excluded.claimed_at WHERE post_slugs.post_id = NEW.id;
    IF FOUND THEN
      NEW.slug := candidate;
      -- Nobody follows more old links of one post. Without this, editing a title all day would fill the table.
      IF TG_OP = 'UPDATE' AND OLD.slug <> NEW.slug THEN
        DELETE FROM post_slugs WHERE account_id = NEW.account_id AND slug IN (
          SELECT slug FROM post_slugs WHERE post_id = NEW.id ORDER BY claimed_at DESC OFFSET 50);
      END IF;
      RETURN NEW;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'the slug % is taken', candidate;
END $$;
CREATE TRIGGER claim_slug BEFORE INSERT OR UPDATE OF slug, status ON posts FOR EACH ROW EXECUTE FUNCTION claim_slug();

-- Of an author's posts with the same title, the first keeps the plain slug.
INSERT INTO post_slugs (account_id, slug, post_id)
SELECT DISTINCT ON (account_id, slug) account_id, slug, id FROM posts WHERE status = 'published' AND slug <> ''
ORDER BY account_id, slug, published_at, id;
UPDATE posts SET slug = slug
WHERE status = 'published' AND NOT EXISTS (SELECT FROM post_slugs WHERE post_slugs.post_id = posts.id);
SET CONSTRAINTS ALL IMMEDIATE;

-- Lists link to the pages.
UPDATE catalog_cards SET card = (card::jsonb || jsonb_build_object('slug', posts.slug))::text
FROM posts WHERE posts.id = catalog_cards.post_id;

-- Handles that authors had before, in lower case. As long as nobody else has such a handle, links with it redirect to the author.
CREATE TABLE former_handles (
  handle text PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  released_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX former_handles_account ON former_handles (account_id, released_at DESC);

CREATE FUNCTION remember_handle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO former_handles (handle, account_id) VALUES (lower(OLD.handle), OLD.id)
  ON CONFLICT (handle) DO UPDATE SET account_id = excluded.account_id, released_at = excluded.released_at;
  DELETE FROM former_handles WHERE handle IN (
    SELECT handle FROM former_handles WHERE account_id = OLD.id ORDER BY released_at DESC OFFSET 10);
  RETURN NULL;
END $$;
-- Only of authors: nothing links to the page of anyone else.
CREATE TRIGGER remember_handle AFTER UPDATE OF handle ON accounts FOR EACH ROW
  WHEN (OLD.has_published AND lower(OLD.handle) <> lower(NEW.handle)) EXECUTE FUNCTION remember_handle();
