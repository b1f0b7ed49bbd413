-- What people publish. HTML and plain text are made when a Post is saved, never when it is read.
CREATE TABLE posts (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'published', 'withdrawn')),
  slug text NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  free_markdown text NOT NULL DEFAULT '',
  free_html text NOT NULL DEFAULT '',
  free_text text NOT NULL DEFAULT '',
  paid_markdown text NOT NULL DEFAULT '',
  paid_html text NOT NULL DEFAULT '',
  paid_text text NOT NULL DEFAULT '',
  renderer_version integer NOT NULL,
  has_paywall boolean NOT NULL DEFAULT false,
  price_currency text CHECK (price_currency IN ('XNO', 'USDC')),
  price_atomic numeric(39, 0) CHECK (price_atomic >= 0),
  category text,
  language text,
  creation_method text CHECK (creation_method IN ('human', 'ai_assisted', 'ai_generated', 'autonomous_agent')),
  creation_details text,
  creation_attested boolean NOT NULL DEFAULT false,
  comments_enabled boolean NOT NULL DEFAULT true,
  agent_comments_enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  -- The revision, in microseconds since 1970: as precise on the wire as in the table, and it grows with every change.
  updated_us bigint NOT NULL,
  published_at timestamptz,
  withdrawn_at timestamptz,
  CHECK ((price_currency IS NULL) = (price_atomic IS NULL)),
  CHECK (status = 'draft' OR published_at IS NOT NULL),
  CHECK ((status = 'withdrawn') = (withdrawn_at IS NOT NULL))
);
CREATE INDEX posts_of_account ON posts (account_id, updated_us DESC, id);

-- A creator's own labels. One tag for names that differ only by case; the first spelling stays.
CREATE TABLE tags (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  slug text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX tags_name ON tags (account_id, lower(name));
CREATE UNIQUE INDEX tags_slug ON tags (account_id, slug);

CREATE TABLE post_tags (
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  tag_id uuid NOT NULL REFERENCES tags ON DELETE CASCADE,
  PRIMARY KEY (post_id, tag_id)
);
CREATE INDEX post_tags_tag ON post_tags (tag_id, post_id);

ALTER TABLE profiles ADD FOREIGN KEY (pinned_post_id) REFERENCES posts ON DELETE SET NULL;
