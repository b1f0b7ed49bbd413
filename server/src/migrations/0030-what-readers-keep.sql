-- When a ZIP was taken off its Post. Null for those that were removed before this was written down: whoever bought the
-- Post by now keeps them.
ALTER TABLE attachments ADD COLUMN removed_at timestamptz;

-- ZIPs that were taken off the Post, for those who bought it before.
ALTER TABLE post_uploads ADD COLUMN retained jsonb NOT NULL DEFAULT '[]';

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

SELECT refresh_post_uploads(post_id) FROM attachments WHERE retention_reason IS NOT NULL GROUP BY post_id;
