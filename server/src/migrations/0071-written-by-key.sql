-- The publishing key that wrote a post or a version of it last. Null if that was its author in a browser.
ALTER TABLE posts ADD COLUMN written_by_key text;
ALTER TABLE post_versions ADD COLUMN written_by_key text;
