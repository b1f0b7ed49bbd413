-- Case and accents do not matter when people look for a title or a name.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE FUNCTION fold_text(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g'));
CREATE INDEX posts_title_trigrams ON posts USING gin (fold_text(title) gin_trgm_ops) WHERE status = 'published';
CREATE INDEX accounts_name_trigrams ON accounts USING gin (fold_text(name || ' ' || handle) gin_trgm_ops)
  WHERE NOT is_anonymous AND suspended_at IS NULL AND NOT starts_with(handle, 'user_');
CREATE INDEX tags_name_trigrams ON tags USING gin (fold_text(name) gin_trgm_ops);
CREATE INDEX tags_by_slug ON tags (slug);
