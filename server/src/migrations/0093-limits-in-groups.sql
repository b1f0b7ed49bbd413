-- A limit of many requests keeps the time of the first of each group of them, so a row stays below a kilobyte. This says how many the
-- newest group has. In a counter of the version before, each request is a group.
ALTER TABLE rate_counters ADD COLUMN newest_count integer NOT NULL DEFAULT 1;
