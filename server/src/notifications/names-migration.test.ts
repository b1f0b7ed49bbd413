import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../test/older-database.ts'

const id = '11111111-1111-4111-8111-111111111111'

// Rows as the previous version wrote them. Foreign keys are not checked, because the migration does not change them.
const before = `
  SET session_replication_role = replica;
  INSERT INTO comment_news VALUES ('${id}', NULL), (gen_random_uuid(), gen_random_uuid());
  INSERT INTO notification_deliveries (account_id, channel, kind, origin, title, body, url, address, state, created_at,
      settled_at)
    VALUES (gen_random_uuid(), 'email', 'new_post', 'post:1', 'A', 'B', '/', 'a@example.org', 'sent', now(), now()),
      (gen_random_uuid(), 'push', 'comment_reply', 'comment:1', 'A', 'B', '/', NULL, 'waiting', now(), NULL);
  INSERT INTO jobs (name, payload, key, queue, run_at, attempts, max_attempts) VALUES
    ('tell-followers', '{"postId":"${id}","after":null}', 'tell-followers:${id}', NULL, '2030-01-01', 2, 20),
    ('tell-of-comment', '{"commentId":"${id}"}', 'tell-of-comment:${id}', NULL, '2030-01-01', 0, 20),
    ('tell-of-comment', '{"commentId":"${id}"}', NULL, NULL, '2030-01-01', 0, 20),
    ('withdraw-comment-news', '{"commentId":"${id}"}', NULL, NULL, '2030-01-01', 0, 20),
    ('settle-read-notifications', '{}', NULL, NULL, '2030-01-01', 0, 10),
    ('forget-deliveries', '{}', 'every:forget-deliveries', NULL, '2030-01-01', 0, 3),
    ('send-notification-mail', '{}', NULL, NULL, '2030-01-01', 0, 12),
    ('send-push', '{}', NULL, 'push ${id}', '2030-01-01', 1, 9);
  SET session_replication_role = DEFAULT`

test('an older database keeps its notifications and waiting jobs under their new names', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0028-notification-names.sql')
  await client.query(before)
  const contents = async (table: string): Promise<string> =>
    (await client.query(`SELECT json_agg(to_json(rows) ORDER BY rows)::text AS text FROM ${table} rows`)).rows[0].text
  const progress = await contents('comment_news')
  const deliveries = await contents('notification_deliveries')

  await migrateOnce()

  deepEqual(
    await contents('comment_notification_progress'),
    progress.replaceAll('"told_through"', '"notified_through"'),
  )
  deepEqual(await contents('notification_deliveries'), deliveries.replaceAll('"settled_at"', '"finished_at"'))
  const { rows: jobs } = await client.query('SELECT name, payload, key, queue, attempts FROM jobs ORDER BY id')
  const noQueue = { queue: null, attempts: 0 }
  deepEqual(jobs, [
    {
      name: 'notify-followers',
      payload: { postId: id, after: null },
      key: `notify-followers:${id}`,
      queue: null,
      attempts: 2,
    },
    { name: 'notify-of-comment', payload: { commentId: id }, key: `notify-of-comment:${id}`, ...noQueue },
    { name: 'notify-of-comment', payload: { commentId: id }, key: null, ...noQueue },
    { name: 'erase-comment-notifications', payload: { commentId: id }, key: null, ...noQueue },
    { name: 'update-read-notifications', payload: {}, key: null, ...noQueue },
    { name: 'delete-old-deliveries', payload: {}, key: 'every:delete-old-deliveries', ...noQueue },
    { name: 'send-notification-email', payload: {}, key: null, ...noQueue },
    { name: 'send-push', payload: {}, key: null, queue: `push ${id}`, attempts: 1 },
  ])

  const { rows: left } = await client.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname LIKE '%news%'
     UNION SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname LIKE '%news%'
     UNION SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname LIKE 'told%'`,
  )
  deepEqual(left, [])
})
