-- Where an account's own programs are told of what happens. The secret is derived from the id and the version, so it is not here.
CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL,
  description text,
  secret_version integer NOT NULL,
  -- Until then the secret before this one signs as well.
  previous_secret_until timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('owner', 'gone', 'failing')),
  -- Since when nothing could be delivered.
  failing_since timestamptz,
  -- Until then nothing is sent, because the last attempt failed.
  paused_until timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX webhooks_of_account ON webhooks (account_id, created_at, id);

-- What a webhook is or was sent. The body is kept, so that every attempt sends the same bytes.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- What happened, such as `sale:<id>`. No webhook is sent one event twice.
  origin text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts integer NOT NULL,
  response_status integer,
  error text,
  created_at timestamptz NOT NULL,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz,
  UNIQUE (webhook_id, origin)
);
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);
