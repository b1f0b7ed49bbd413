-- Where searches look. The index of terms is expensive to write: while it was on the catalog, each new reader of a post rewrote
-- hundreds of its entries, because they point to the row whose score changed.
CREATE TABLE search_terms (
  post_id uuid PRIMARY KEY REFERENCES catalog ON DELETE CASCADE,
  terms bigint[] NOT NULL
) WITH (toast_tuple_target = 128);
-- Outside the rows, so that these stay narrow.
ALTER TABLE search_terms ALTER COLUMN terms SET STORAGE EXTERNAL, ALTER COLUMN terms SET STATISTICS 200;

CREATE FUNCTION copy_search_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_terms (post_id, terms) VALUES (NEW.post_id, NEW.terms)
  ON CONFLICT (post_id) DO UPDATE SET terms = excluded.terms;
  RETURN NULL;
END $$;
-- The trigger `add_facet_terms` has completed them by now.
CREATE TRIGGER copy_new_terms AFTER INSERT ON catalog FOR EACH ROW EXECUTE FUNCTION copy_search_terms();
CREATE TRIGGER copy_changed_terms AFTER UPDATE ON catalog FOR EACH ROW
  WHEN (NEW.terms IS DISTINCT FROM OLD.terms) EXECUTE FUNCTION copy_search_terms();
