-- Jobs that were renamed: those that wait, or failed too often, stay under the new name.
UPDATE jobs SET name = renamed.new_name, key = replace(key, 'every:' || renamed.old_name, 'every:' || renamed.new_name)
FROM (VALUES
  ('forget-expired', 'delete-expired'),
  ('forget-empty-guests', 'delete-empty-guests'),
  ('forget-guest-checkouts', 'delete-guest-checkouts'),
  ('forget-siwx-nonces', 'delete-siwx-nonces'),
  ('forget-readers', 'delete-readers')
) AS renamed(old_name, new_name)
WHERE jobs.name = renamed.old_name;

-- When an address is next checked for payments.
ALTER TABLE nano_addresses RENAME COLUMN next_look_at TO next_check_at;
-- From PostgreSQL 18 on, NOT NULL constraints have names too.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conname = 'nano_addresses_next_look_at_not_null') THEN
    ALTER TABLE nano_addresses
      RENAME CONSTRAINT nano_addresses_next_look_at_not_null TO nano_addresses_next_check_at_not_null;
  END IF;
END $$;
