-- Jobs that were renamed: those that wait keep waiting under the new name.
UPDATE jobs SET name = renamed.new_name
FROM (VALUES
  ('tell-followers', 'notify-followers'),
  ('tell-of-comment', 'notify-of-comment'),
  ('withdraw-comment-news', 'erase-comment-notifications'),
  ('settle-read-notifications', 'update-read-notifications'),
  ('forget-deliveries', 'delete-old-deliveries'),
  ('send-notification-mail', 'send-notification-email')
) AS renamed(old_name, new_name)
WHERE jobs.name = renamed.old_name;

UPDATE jobs SET key = 'notify-' || substr(key, length('tell-') + 1)
WHERE key LIKE 'tell-followers:%' OR key LIKE 'tell-of-comment:%';
UPDATE jobs SET key = 'every:delete-old-deliveries' WHERE key = 'every:forget-deliveries';

-- How far the notifications of a comment got, in the order of recipients. No row: everyone has been notified.
ALTER TABLE comment_news RENAME TO comment_notification_progress;
ALTER TABLE comment_notification_progress RENAME COLUMN told_through TO notified_through;
-- From PostgreSQL 18 on, NOT NULL constraints have names too, so the names are looked up.
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN SELECT conname AS name FROM pg_constraint
    WHERE conrelid = 'comment_notification_progress'::regclass AND conname LIKE 'comment_news%'
  LOOP
    EXECUTE format('ALTER TABLE comment_notification_progress RENAME CONSTRAINT %I TO %I', found.name,
      replace(found.name, 'comment_news', 'comment_notification_progress'));
  END LOOP;
END $$;

-- When an email or push was sent or cancelled. Only payments settle.
ALTER TABLE notification_deliveries RENAME COLUMN settled_at TO finished_at;
