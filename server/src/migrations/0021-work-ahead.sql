-- Whoever watches addresses finds their first work too: there is no job for each any more.
DELETE FROM jobs WHERE name = 'prepare-nano-address';
