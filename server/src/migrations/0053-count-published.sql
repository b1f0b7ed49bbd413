-- Counting the words of a long text takes a tenth of a second, and editors save drafts all the time. Nobody sees the count of a
-- draft: it is counted when it is published.
DROP TRIGGER count_paid_contents ON posts;
CREATE TRIGGER count_paid_contents BEFORE INSERT OR UPDATE OF status, paid_text, paid_html ON posts
  FOR EACH ROW WHEN (NEW.status <> 'draft') EXECUTE FUNCTION count_paid_contents();
