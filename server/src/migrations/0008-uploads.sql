-- What was sent to be hosted: images and ZIPs alike. A row is an operation; it stays when its bytes are gone, so that a
-- lost answer can always be recovered and what was admitted can be counted.
CREATE TABLE upload_operations (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  target_kind text NOT NULL CHECK (target_kind IN ('inline', 'og', 'avatar', 'header', 'attachment')),
  -- A Post, or for avatar and header the account. No reference: the operation outlives a deleted draft.
  target_id uuid NOT NULL,
  -- The node key of an inline image.
  target_key text NOT NULL DEFAULT '',
  request_key text NOT NULL,
  -- Of the bytes and the intent: the same key with others is refused.
  fingerprint bytea NOT NULL,
  generation integer NOT NULL CHECK (generation > 0),
  state text NOT NULL DEFAULT 'receiving'
    CHECK (state IN ('receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled')),
  -- Why a cancelled one ended: its owner, a newer upload for the same target, a day without progress, its Post's end.
  ended_by text CHECK (ended_by IN ('owner', 'newer', 'expiry', 'post')),
  desired boolean NOT NULL DEFAULT true,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  content_type text NOT NULL,
  -- The received bytes, private. Of a ZIP they are what readers get.
  received_key text,
  received_at timestamptz,
  -- When somebody last looked whether the stored bytes are still there.
  bytes_seen_at timestamptz,
  -- What the public gets of an image, under the operation's id: bytes that we made.
  media_key text,
  media_type text,
  media_extension text,
  media_bytes bigint,
  media_sha256 text,
  -- When it became part of its target.
  associated_at timestamptz,
  policy_version text NOT NULL,
  csam_coverage text CHECK (csam_coverage IN ('complete', 'partial')),
  last_error text,
  reupload_allowed boolean NOT NULL DEFAULT false,
  -- Checks begun without coming to an end, and times that a screener was away.
  checks_begun integer NOT NULL DEFAULT 0,
  screener_absences integer NOT NULL DEFAULT 0,
  next_check_at timestamptz,
  cleanup_state text NOT NULL DEFAULT 'none' CHECK (cleanup_state IN ('none', 'queued', 'done', 'retained')),
  cleanup_attempts integer NOT NULL DEFAULT 0,
  cleanup_next_at timestamptz,
  cleanup_error text,
  created_at timestamptz NOT NULL,
  progress_at timestamptz NOT NULL,
  CHECK ((received_at IS NOT NULL) OR state IN ('receiving', 'failed', 'cancelled')),
  CHECK ((state = 'cancelled') = (ended_by IS NOT NULL)),
  CHECK (state <> 'cancelled' OR NOT desired),
  CHECK (state <> 'cleared' OR target_kind = 'attachment' OR media_extension IS NOT NULL)
);
-- A key is good for one operation on one target.
CREATE UNIQUE INDEX upload_operations_request ON upload_operations (account_id, target_kind, target_id, target_key, request_key);
-- One upload a generation; ZIPs stand beside each other instead.
CREATE UNIQUE INDEX upload_operations_generation ON upload_operations (target_kind, target_id, target_key, generation)
  WHERE target_kind <> 'attachment';
CREATE INDEX upload_operations_target ON upload_operations (target_id, target_kind);
CREATE INDEX upload_operations_admission ON upload_operations (account_id, created_at);
CREATE INDEX upload_operations_unfinished ON upload_operations (progress_at) WHERE state IN ('receiving', 'queued', 'checking');
CREATE INDEX upload_operations_staged ON upload_operations (account_id) WHERE received_key IS NOT NULL;
CREATE INDEX upload_operations_unseen ON upload_operations (bytes_seen_at NULLS FIRST) WHERE received_key IS NOT NULL OR media_key IS NOT NULL;
CREATE INDEX upload_operations_cleanup ON upload_operations (id) WHERE cleanup_state = 'queued';
CREATE UNIQUE INDEX upload_operations_received_key ON upload_operations (received_key) WHERE received_key IS NOT NULL;
CREATE UNIQUE INDEX upload_operations_media_key ON upload_operations (media_key) WHERE media_key IS NOT NULL;

-- Which object store this database belongs to: a key that was written there at first use.
CREATE TABLE upload_store (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  sentinel_key text NOT NULL
);

-- A ZIP of a Post, one for each of its operations.
CREATE TABLE attachments (
  id uuid PRIMARY KEY,
  operation_id uuid NOT NULL UNIQUE REFERENCES upload_operations,
  account_id uuid NOT NULL REFERENCES accounts,
  post_id uuid NOT NULL,
  filename text NOT NULL,
  description text NOT NULL DEFAULT '',
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'ready', 'cleanup_queued', 'removed')),
  -- Sent in one form instead of parts; it stays on that contract.
  is_legacy boolean NOT NULL,
  contents jsonb,
  association_conflict text,
  retention_reason text CHECK (retention_reason = 'financial-history-retained'),
  position bigint GENERATED ALWAYS AS IDENTITY,
  created_at timestamptz NOT NULL
);
CREATE INDEX attachments_post ON attachments (post_id);
CREATE INDEX attachments_account ON attachments (account_id) WHERE state <> 'removed';

CREATE TABLE upload_parts (
  operation_id uuid NOT NULL REFERENCES upload_operations,
  number integer NOT NULL CHECK (number > 0),
  length integer NOT NULL CHECK (length > 0),
  -- Grows with every authorization: a capability is good for one of them.
  generation integer NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'authorized', 'stored')),
  -- CRC-32, to tell the same bytes sent again from others. What the ZIP is, its own SHA-256 says.
  checksum bigint,
  object_key text UNIQUE,
  PRIMARY KEY (operation_id, number),
  CHECK ((state = 'stored') = (checksum IS NOT NULL))
);

-- While one of these is open, what it names is served to nobody.
CREATE TABLE incident_holds (
  id uuid PRIMARY KEY,
  operation_id uuid NOT NULL REFERENCES upload_operations,
  source text NOT NULL CHECK (source IN ('screening', 'administrator')),
  -- Which list or screener matched, or what the administrator says. Never shown to the uploader.
  reason text NOT NULL,
  placed_by uuid REFERENCES accounts,
  placed_at timestamptz NOT NULL,
  cleared_by uuid REFERENCES accounts,
  cleared_at timestamptz,
  CHECK ((cleared_at IS NULL) = (cleared_by IS NULL))
);
CREATE UNIQUE INDEX incident_holds_open ON incident_holds (operation_id) WHERE cleared_at IS NULL;
CREATE INDEX incident_holds_recent ON incident_holds (placed_at DESC, id);

-- What of all this readers of a Post see, kept by the triggers below: lists join one row and count nothing.
CREATE TABLE post_uploads (
  post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
  -- ZIPs that readers can get.
  ready_count integer NOT NULL DEFAULT 0,
  -- ZIPs that are pending or ready: they decide prices and what an edit may do.
  active_count integer NOT NULL DEFAULT 0,
  unresolved_count integer NOT NULL DEFAULT 0,
  attachments jsonb NOT NULL DEFAULT '[]',
  og_path text,
  -- Paths of inline images by their node keys.
  image_paths jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX post_uploads_ready ON post_uploads (post_id) WHERE ready_count > 0;

-- Cleared, wanted, not held, and of images the last one for its target.
CREATE VIEW eligible_uploads AS
  SELECT operation.* FROM upload_operations operation
  WHERE operation.state = 'cleared' AND operation.desired
    AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL)
    AND (operation.target_kind = 'attachment' OR NOT EXISTS (
      SELECT FROM upload_operations newer WHERE newer.target_kind = operation.target_kind AND newer.target_id = operation.target_id
        AND newer.target_key = operation.target_key AND newer.generation > operation.generation));

CREATE FUNCTION refresh_post_uploads(refreshed uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO post_uploads (post_id) SELECT id FROM posts WHERE id = refreshed ON CONFLICT DO NOTHING;
  -- Locked before it is counted: whoever comes second counts what the first one did.
  PERFORM FROM post_uploads WHERE post_id = refreshed FOR UPDATE;
  UPDATE post_uploads SET
    (ready_count, attachments) = (
      SELECT count(*), coalesce(jsonb_agg(jsonb_build_object('id', zip.id, 'filename', zip.filename, 'sizeBytes', operation.size_bytes,
        'description', zip.description, 'sha256', operation.sha256, 'contents', zip.contents) ORDER BY zip.position), '[]')
      FROM attachments zip JOIN eligible_uploads operation ON operation.id = zip.operation_id
      WHERE zip.post_id = refreshed AND zip.state = 'ready'),
    (active_count, unresolved_count) = (
      SELECT count(*), count(*) FILTER (WHERE zip.state = 'pending')
      FROM attachments zip WHERE zip.post_id = refreshed AND zip.state IN ('pending', 'ready')),
    og_path = (
      SELECT '/media/' || id || '.' || media_extension FROM eligible_uploads
      WHERE target_id = refreshed AND target_kind = 'og'),
    image_paths = (
      SELECT coalesce(jsonb_object_agg(target_key, '/media/' || id || '.' || media_extension), '{}')
      FROM eligible_uploads WHERE target_id = refreshed AND target_kind = 'inline')
  WHERE post_id = refreshed;
END $$;

CREATE FUNCTION refresh_post_of_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.target_kind IN ('inline', 'og', 'attachment') THEN PERFORM refresh_post_uploads(NEW.target_id); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER post_of_new_operation AFTER INSERT ON upload_operations
  FOR EACH ROW EXECUTE FUNCTION refresh_post_of_operation();
-- Only what readers can notice: a check that begins must not wait for whoever changes the Post.
CREATE TRIGGER post_of_changed_operation AFTER UPDATE OF state, desired ON upload_operations
  FOR EACH ROW WHEN ((OLD.state = 'cleared' OR NEW.state = 'cleared') AND (OLD.state, OLD.desired) IS DISTINCT FROM (NEW.state, NEW.desired))
  EXECUTE FUNCTION refresh_post_of_operation();

CREATE FUNCTION refresh_post_of_attachment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_post_uploads(NEW.post_id);
  RETURN NULL;
END $$;
CREATE TRIGGER post_of_attachment AFTER INSERT OR UPDATE ON attachments
  FOR EACH ROW EXECUTE FUNCTION refresh_post_of_attachment();

CREATE FUNCTION refresh_post_of_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_post_uploads(target_id) FROM upload_operations
    WHERE id = NEW.operation_id AND target_kind IN ('inline', 'og', 'attachment');
  RETURN NULL;
END $$;
CREATE TRIGGER post_of_hold AFTER INSERT OR UPDATE ON incident_holds
  FOR EACH ROW EXECUTE FUNCTION refresh_post_of_hold();
