-- What is behind a paywall, for its page: the paid text itself is not read for readers who have not paid. A trigger counts, so
-- that the version before this one, which does not know the columns, keeps them right too.
ALTER TABLE posts ADD COLUMN paid_words integer NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN paid_images integer NOT NULL DEFAULT 0;

CREATE FUNCTION count_paid_contents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A word is anything but punctuation, up to a space. Chinese, Japanese and Korean texts have no spaces between words: each of
  -- their characters counts.
  NEW.paid_words = regexp_count(NEW.paid_text,
    '[^\s\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u2010-\u203a\u3001-\u303f\uff01-\uff0f][^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*');
  NEW.paid_images = regexp_count(NEW.paid_html, '<img ');
  RETURN NEW;
END $$;
CREATE TRIGGER count_paid_contents BEFORE INSERT OR UPDATE OF paid_text, paid_html ON posts
  FOR EACH ROW EXECUTE FUNCTION count_paid_contents();
UPDATE posts SET paid_text = paid_text WHERE paid_text <> '';
