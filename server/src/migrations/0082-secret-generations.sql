-- The newest key of the service secret that a process has used: one that does not know it must not start. Null for a database
-- from before secrets could be rotated.
ALTER TABLE service_secret ADD COLUMN newest text;
