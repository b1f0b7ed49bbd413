-- Which picture of a post is in the object store for links to it, so that the one before can be removed.
CREATE TABLE link_cards (
  post_id uuid PRIMARY KEY REFERENCES posts (id) ON DELETE CASCADE,
  version text NOT NULL
);
