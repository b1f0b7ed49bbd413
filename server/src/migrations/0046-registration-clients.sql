-- Who started a registration, as a keyed hash of the client's address: an attempt of somebody else for the same mailbox does
-- not invalidate its code.
ALTER TABLE registrations ADD COLUMN client bytea;
