-- The terms of a new post are appended to a list, which is quicker, and a job sorts them into the index. Searches
-- read the list from end to end, so it stays short: the one who publishes sorts it in if the job is late.
ALTER INDEX search_terms_by_term SET (fastupdate = on, gin_pending_list_limit = 256);
