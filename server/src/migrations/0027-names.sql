-- Jobs that were renamed: those that wait keep waiting under the new name.
UPDATE jobs SET name = 'notify-administrators' WHERE name = 'tell-administrators';

ALTER TABLE jobs RENAME COLUMN gives_way TO low_priority;
