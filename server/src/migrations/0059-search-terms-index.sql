-- Copies the terms of all posts and builds the index that searches use. Whoever publishes meanwhile waits. The index is built
-- after the rows: adding them to it one by one would take twenty times as long.
INSERT INTO search_terms (post_id, terms) SELECT post_id, terms FROM catalog ON CONFLICT DO NOTHING;
-- Without a list of pending entries: a search would have to read it from end to end.
CREATE INDEX search_terms_by_term ON search_terms USING gin (terms) WITH (fastupdate = off);
ANALYZE search_terms;
-- Processes of the version before still search the catalog, slowly until they are replaced.
DROP INDEX catalog_terms;
