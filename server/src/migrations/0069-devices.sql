-- What a session was started on, in words, and when it was last used, to within ten minutes.
ALTER TABLE sessions ADD COLUMN device text CHECK (char_length(device) <= 40), ADD COLUMN last_used_at timestamptz;
