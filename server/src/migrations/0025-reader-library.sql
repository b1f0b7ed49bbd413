-- When a ZIP was taken off its Post. Null for those that were removed before this was written down: whoever bought the
-- Post by now keeps them.
ALTER TABLE attachments ADD COLUMN removed_at timestamptz;

-- ZIPs that were taken off the Post, for those who bought it before.
ALTER TABLE post_uploads ADD COLUMN retained jsonb NOT NULL DEFAULT '[]';

-- Cleared, wanted, not held, and of images the last such one for its target: what is shown stays until another one can be
-- shown. One that is on its way, rejected, cancelled or held takes nothing away.
CREATE OR REPLACE VIEW eligible_uploads AS
  WITH showable AS NOT MATERIALIZED (
    SELECT operation.* FROM upload_operations operation
    WHERE operation.state = 'cleared' AND operation.desired
      AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL))
  SELECT operation.* FROM showable operation
  WHERE operation.target_kind = 'attachment' OR NOT EXISTS (
    SELECT FROM showable newer WHERE newer.target_kind = operation.target_kind AND newer.target_id = operation.target_id
      AND newer.target_key = operation.target_key AND newer.generation > operation.generation);

CREATE OR REPLACE FUNCTION refresh_post_uploads(refreshed uuid) RETURNS void LANGUAGE plpgsql AS $$
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
    retained = (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', zip.id, 'filename', zip.filename, 'sizeBytes', operation.size_bytes,
        'description', zip.description, 'sha256', operation.sha256, 'contents', zip.contents, 'removedAt', zip.removed_at)
        ORDER BY zip.position), '[]')
      FROM attachments zip JOIN upload_operations operation ON operation.id = zip.operation_id
      WHERE zip.post_id = refreshed AND zip.retention_reason IS NOT NULL AND operation.state = 'cleared'
        AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL)),
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

SELECT refresh_post_uploads(post_id) FROM (
  SELECT post_id FROM attachments WHERE retention_reason IS NOT NULL
  UNION SELECT target_id FROM upload_operations WHERE target_kind IN ('inline', 'og') AND generation > 1) changed;
