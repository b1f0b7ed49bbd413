-- Posts that readers saved for later.
CREATE TABLE bookmarks (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  post_id uuid NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, post_id)
);
CREATE INDEX bookmarks_listed ON bookmarks (account_id, created_at DESC, post_id DESC);
CREATE INDEX bookmarks_of_post ON bookmarks (post_id);
