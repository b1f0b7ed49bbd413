-- What an account's figures were when its last day was summed up; account_summaries has the same for its weeks.
CREATE TABLE account_day_summaries (LIKE account_summaries INCLUDING ALL);
ALTER TABLE account_day_summaries ADD FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE;
