-- An export of everything that an account has: confirmed once, downloaded a few times within an hour. While one is being sent,
-- its process renews `running_until`, so at most one runs for an account, and a few in the whole service.
CREATE TABLE account_exports (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  downloads integer NOT NULL DEFAULT 0,
  -- The download in progress, and until when it counts as such.
  run_id uuid,
  running_until timestamptz
);
CREATE INDEX account_exports_of_account ON account_exports (account_id, created_at);
CREATE INDEX account_exports_running ON account_exports (running_until) WHERE running_until IS NOT NULL;
CREATE INDEX account_exports_age ON account_exports (created_at);

-- Codes and wallet proofs that confirm an export or a deletion, and nothing else.
ALTER TABLE email_codes DROP CONSTRAINT email_codes_purpose_check;
ALTER TABLE email_codes ADD CONSTRAINT email_codes_purpose_check
  CHECK (purpose IN ('registration', 'login', 'continuation', 'email_change', 'export', 'deletion'));
ALTER TABLE wallet_challenges DROP CONSTRAINT wallet_challenges_purpose_check;
ALTER TABLE wallet_challenges ADD CONSTRAINT wallet_challenges_purpose_check
  CHECK (purpose IN ('sign_in', 'link', 'export', 'deletion'));
ALTER TABLE wallet_challenges DROP CONSTRAINT wallet_challenges_check;
ALTER TABLE wallet_challenges ADD CONSTRAINT wallet_challenges_check CHECK ((purpose = 'sign_in') = (account_id IS NULL));
ALTER TABLE wallet_transfers DROP CONSTRAINT wallet_transfers_purpose_check;
ALTER TABLE wallet_transfers ADD CONSTRAINT wallet_transfers_purpose_check
  CHECK (purpose IN ('sign_in', 'link', 'export', 'deletion'));
ALTER TABLE wallet_transfers DROP CONSTRAINT wallet_transfers_check;
ALTER TABLE wallet_transfers ADD CONSTRAINT wallet_transfers_check CHECK ((purpose = 'sign_in') = (account_id IS NULL));

-- A deleted account: its row stays for what money moved, without a name, an email address or a way to sign in. It counts as a
-- suspended guest, so everything that leaves those out leaves it out too, also in the version before this one.
ALTER TABLE accounts ADD COLUMN deleted_at timestamptz;
ALTER TABLE accounts ADD CONSTRAINT accounts_deleted
  CHECK (deleted_at IS NULL OR (email IS NULL AND is_anonymous AND NOT is_admin AND suspended_at IS NOT NULL));

-- Handles of deleted accounts, which nobody gets again. Only a hash, because the name is gone.
CREATE TABLE retired_handles (
  handle_hash bytea PRIMARY KEY,
  retired_at timestamptz NOT NULL
);
CREATE FUNCTION is_retired_handle(handle text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM retired_handles WHERE handle_hash = sha256(convert_to(lower(handle), 'UTF8')))
$$;
-- A new account gets another handle instead, as if somebody had this one.
CREATE FUNCTION skip_retired_handle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_retired_handle(NEW.handle) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER accounts_skip_retired_handle BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION skip_retired_handle();
-- After the unique index was checked: it waits for a deletion that is under way.
CREATE FUNCTION refuse_retired_handle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM retired_handles WHERE handle_hash = sha256(convert_to(lower(NEW.handle), 'UTF8'))) THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    RAISE EXCEPTION 'the handle was retired meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RAISE EXCEPTION 'the handle is retired' USING ERRCODE = 'unique_violation', CONSTRAINT = 'accounts_handle';
END $$;
CREATE TRIGGER accounts_refuse_retired_handle AFTER INSERT OR UPDATE OF handle ON accounts
  FOR EACH ROW EXECUTE FUNCTION refuse_retired_handle();
