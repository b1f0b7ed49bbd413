-- What a program may do for an account, because its owner allowed it. The tokens are derived from the id and the generation, so
-- they are not here.
CREATE TABLE oauth_grants (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- The consent page that was answered. Each can be answered once.
  consent_id uuid NOT NULL UNIQUE,
  client_id text NOT NULL,
  -- What the program called itself when it was allowed, and the host it is from.
  client_name text,
  client_host text,
  redirect_uri text NOT NULL,
  scopes text[] NOT NULL,
  resource text NOT NULL CHECK (resource IN ('api', 'mcp')),
  -- Kept after the code was used: a second use ends the grant.
  code_hash bytea NOT NULL UNIQUE,
  code_challenge text NOT NULL,
  -- 0 until the code is exchanged, then the number of token pairs so far.
  generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  rotated_at timestamptz NOT NULL,
  -- Of the code while the generation is 0, then of the refresh token.
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('owner', 'program', 'replay', 'limit'))
);
CREATE INDEX oauth_grants_of_account ON oauth_grants (account_id, created_at DESC, id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);
