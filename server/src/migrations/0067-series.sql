-- Posts that an author has put in an order. A post is in one series at most.
CREATE TABLE series (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  title text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX series_of_account ON series (account_id, created_at, id);
CREATE TABLE series_posts (
  post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
  series_id uuid NOT NULL REFERENCES series ON DELETE CASCADE,
  position integer NOT NULL
);
CREATE UNIQUE INDEX series_posts_in_order ON series_posts (series_id, position);

-- Posts that an author wants readers of a post to read next.
CREATE TABLE chosen_posts (
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  position integer NOT NULL,
  chosen_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  PRIMARY KEY (post_id, position),
  CHECK (chosen_id <> post_id)
);
CREATE INDEX chosen_posts_of ON chosen_posts (chosen_id);
