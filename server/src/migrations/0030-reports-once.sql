-- Whether an account has reported something before is looked up for each new report.
DROP INDEX reports_of_target;
CREATE INDEX reports_of_target ON reports (post_id, comment_id, reporter_id);
