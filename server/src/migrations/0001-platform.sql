-- Which processes run jobs, so that the jobs of one that died can be given back at once (platform/jobs/live-workers.ts).
CREATE TABLE job_workers (
  worker_id text PRIMARY KEY,
  lock_key integer NOT NULL
);

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
