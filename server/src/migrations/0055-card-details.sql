-- What lists show of a post besides its text: how long it is, its cover, and its comments. Beside the card, because they change
-- without it. A post is counted when it is written; the job that brings the catalog up to date counts those of today, in batches.
ALTER TABLE catalog_cards ADD COLUMN words integer;
ALTER TABLE catalog_cards ADD COLUMN og_path text;
ALTER TABLE catalog_cards ADD COLUMN comment_count integer NOT NULL DEFAULT 0;

-- A word is anything but punctuation, up to a space. Chinese, Japanese and Korean texts have no spaces between words: each of
-- their characters counts.
CREATE FUNCTION count_words(given text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN regexp_count(given,
    '[^\s\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u2010-\u203a\u3001-\u303f\uff01-\uff0f][^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*');

CREATE OR REPLACE FUNCTION count_paid_contents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.paid_words = count_words(NEW.paid_text);
  NEW.paid_images = regexp_count(NEW.paid_html, '<img ');
  RETURN NEW;
END $$;

-- A trigger, so that the version before this one, which does not know the columns, keeps them right too.
CREATE FUNCTION describe_card() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_new_text boolean;
BEGIN
  -- Counting the words of a long text takes a tenth of a second: not for every comment, and once if the card is there already,
  -- because an upsert is an insert that becomes an update.
  IF TG_OP = 'UPDATE' THEN is_new_text := OLD.words IS NULL OR NEW.card <> OLD.card;
  ELSE is_new_text := NOT EXISTS (SELECT FROM catalog_cards WHERE post_id = NEW.post_id);
  END IF;
  IF is_new_text THEN
    NEW.words := (SELECT count_words(free_text) + CASE WHEN has_paywall THEN paid_words ELSE 0 END
      FROM posts WHERE id = NEW.post_id);
  END IF;
  NEW.og_path := (SELECT og_path FROM post_uploads WHERE post_id = NEW.post_id);
  NEW.comment_count := coalesce((SELECT comment_count FROM post_figures WHERE post_id = NEW.post_id), 0);
  RETURN NEW;
END $$;
CREATE TRIGGER describe_card BEFORE INSERT OR UPDATE ON catalog_cards FOR EACH ROW EXECUTE FUNCTION describe_card();

-- A cover that is uploaded, replaced or held changes its card.
DROP TRIGGER mark_catalog_stale ON post_uploads;
CREATE TRIGGER mark_catalog_stale AFTER UPDATE ON post_uploads FOR EACH ROW
  WHEN ((OLD.active_count, OLD.attachments, OLD.og_path) IS DISTINCT FROM (NEW.active_count, NEW.attachments, NEW.og_path))
  EXECUTE FUNCTION uploads_changed();

CREATE INDEX catalog_cards_uncounted ON catalog_cards (post_id) WHERE words IS NULL;
