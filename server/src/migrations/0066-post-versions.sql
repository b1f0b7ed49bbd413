-- Earlier versions of posts, for their authors: see posts/post-version-store.ts for how many are kept.
CREATE TABLE post_versions (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('edit', 'publish')),
  title text NOT NULL,
  description text NOT NULL,
  free_markdown text NOT NULL,
  paid_markdown text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX post_versions_listed ON post_versions (post_id, created_at DESC, id DESC);
