-- What lists show and sort by, kept in the transaction that makes it true: nobody counts rows to read a page.
-- No row means that everything is zero.
CREATE TABLE post_figures (
  post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
  -- Comments that are not deleted.
  comment_count integer NOT NULL DEFAULT 0 CHECK (comment_count >= 0),
  thumbs_up integer NOT NULL DEFAULT 0 CHECK (thumbs_up >= 0),
  heart integer NOT NULL DEFAULT 0 CHECK (heart >= 0),
  fire integer NOT NULL DEFAULT 0 CHECK (fire >= 0),
  clap integer NOT NULL DEFAULT 0 CHECK (clap >= 0),
  -- Distinct people who opened it.
  reader_count integer NOT NULL DEFAULT 0 CHECK (reader_count >= 0),
  sales_count integer NOT NULL DEFAULT 0 CHECK (sales_count >= 0),
  tip_total_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (tip_total_raw >= 0)
);

CREATE TABLE account_figures (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  follower_count integer NOT NULL DEFAULT 0 CHECK (follower_count >= 0),
  following_count integer NOT NULL DEFAULT 0 CHECK (following_count >= 0),
  sales_count integer NOT NULL DEFAULT 0 CHECK (sales_count >= 0),
  -- What sales and tips brought, and what was spent on others, in Nano's raw.
  earned_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (earned_raw >= 0),
  given_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (given_raw >= 0)
);
