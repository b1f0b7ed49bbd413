-- Who publishes and reads. The account's private side (sessions, email, keys) refers to this id.
CREATE TABLE profiles (
  id uuid PRIMARY KEY,
  handle text NOT NULL,
  created_at timestamptz NOT NULL
);
-- §2: unique ignoring case, supplied casing preserved.
CREATE UNIQUE INDEX profiles_handle ON profiles (lower(handle));
