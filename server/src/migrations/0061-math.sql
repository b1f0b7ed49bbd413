-- Whether the Markdown of a post may have formulas.
ALTER TABLE posts ADD COLUMN math boolean NOT NULL DEFAULT false;
