-- Imports look whether a mailbox is subscribed, with anything after a plus sign.
CREATE INDEX subscribers_of_mailbox ON subscribers (creator_id, regexp_replace(lower(email), '(.)\+.*@', '\1@'));
