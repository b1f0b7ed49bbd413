-- What people say about themselves, beyond name and handle. No row means that nothing was said yet.
CREATE TABLE profiles (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  bio text,
  location text,
  social_links jsonb NOT NULL DEFAULT '[]',
  pinned_post_id uuid,
  avatar_url text,
  header_image_url text,
  tip_label text NOT NULL DEFAULT 'Tip author',
  tip_amounts jsonb NOT NULL DEFAULT '[0.25, 0.5, 1]'
);

-- Where an account is paid, one address a rail.
CREATE TABLE receiving_addresses (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  rail text NOT NULL CHECK (rail IN ('nano', 'base')),
  address text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, rail)
);
