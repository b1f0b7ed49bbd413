-- Posts that people bring along from other sites, with their dates and slugs.
ALTER TABLE posts ADD COLUMN canonical_url text;
-- When it was imported. Its published_at is then what its author says, so readers are told.
ALTER TABLE posts ADD COLUMN imported_at timestamptz;

-- An import: one confirmation for all its posts, and what it has used of the account's quota.
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  source text NOT NULL,
  claims_site_paths boolean NOT NULL,
  post_count integer NOT NULL DEFAULT 0,
  file_count integer NOT NULL DEFAULT 0,
  file_bytes bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
CREATE INDEX imports_of_account ON imports (account_id, created_at);

-- Which post a post of another site became, so that importing it again updates it.
CREATE TABLE imported_posts (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  source_id text NOT NULL,
  post_id uuid NOT NULL UNIQUE REFERENCES posts ON DELETE CASCADE,
  -- The importer's own mark of what it sent.
  fingerprint text,
  -- Of what the import wrote. A post that differs from it was edited here.
  content_hash bytea NOT NULL,
  imported_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, source_id)
);

-- Where an imported post was before: /@{handle}{path} redirects to it, and for administrators {path} itself.
CREATE TABLE old_paths (
  account_id uuid NOT NULL,
  path text NOT NULL,
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  is_of_site boolean NOT NULL,
  PRIMARY KEY (account_id, path)
);
CREATE INDEX old_paths_of_post ON old_paths (post_id);
CREATE UNIQUE INDEX old_paths_of_site ON old_paths (path) WHERE is_of_site;

-- Uploads of an import have a quota of their own.
ALTER TABLE upload_operations ADD COLUMN import_id uuid;
