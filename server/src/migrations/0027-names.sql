-- Jobs that were renamed: those that wait keep waiting under the new name.
UPDATE jobs SET name = 'notify-administrators' WHERE name = 'tell-administrators';
