-- What the operator says about the site. Fields that are not there have their defaults. There is at most one row.
CREATE TABLE site_settings (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  settings jsonb NOT NULL
);

-- Lets people sign up where registration is by invitation. The code is derived from the id and stored nowhere.
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  label text,
  max_uses integer NOT NULL CHECK (max_uses > 0),
  used_count integer NOT NULL DEFAULT 0 CHECK (used_count BETWEEN 0 AND max_uses),
  created_by uuid NOT NULL REFERENCES accounts,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX invitations_newest ON invitations (created_at DESC, id);
ALTER TABLE registrations ADD COLUMN invitation_id uuid REFERENCES invitations;
ALTER TABLE continuations ADD COLUMN invitation_id uuid REFERENCES invitations;

-- The token with which the first administrator claims the site is derived from this id. There is at most one row.
CREATE TABLE admin_claim (
  slot integer PRIMARY KEY DEFAULT 1 CHECK (slot = 1),
  id uuid NOT NULL,
  used_at timestamptz,
  used_by uuid REFERENCES accounts
);
CREATE INDEX accounts_admins ON accounts (id) WHERE is_admin;
