-- Promises to be kept later. Times are the service's clock's.
CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  payload jsonb NOT NULL,
  -- Jobs of one queue run one at a time.
  queue text,
  -- A waiting job with the same key is replaced.
  key text UNIQUE,
  run_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL,
  -- The process that runs it, by the advisory lock it holds for its life (platform/jobs/worker-session.ts).
  claimed_by integer,
  last_error text,
  -- Out of attempts: kept for a person.
  dead_at timestamptz
);
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE claimed_by IS NULL AND dead_at IS NULL;
CREATE INDEX jobs_claimed ON jobs (claimed_by) WHERE claimed_by IS NOT NULL;
CREATE INDEX jobs_queued ON jobs (queue, run_at, id) WHERE queue IS NOT NULL AND dead_at IS NULL;
CREATE UNIQUE INDEX jobs_one_of_queue ON jobs (queue) WHERE claimed_by IS NOT NULL;
CREATE INDEX jobs_dead ON jobs (dead_at) WHERE dead_at IS NOT NULL;

-- What a request with an Idempotency-Key was answered, so that the same request again gets the same answer.
CREATE TABLE idempotent_replies (
  scope text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status integer,
  body jsonb,
  expires_at timestamptz,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotent_replies_expiry ON idempotent_replies (expires_at) WHERE expires_at IS NOT NULL;

-- Mail kept instead of sent, in development.
CREATE TABLE captured_mail (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  recipient text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  html text NOT NULL,
  sent_at timestamptz NOT NULL
);
CREATE INDEX captured_mail_recipient ON captured_mail (lower(recipient), id DESC);
