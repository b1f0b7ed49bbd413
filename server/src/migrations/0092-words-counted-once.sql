-- A process of the version before writes a card without its words, and one that counts them may write the same number with another
-- card: an author has a new name. The second says so in a setting of its transaction, and the words are not counted again.
CREATE OR REPLACE FUNCTION describe_card() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_uncounted boolean;
BEGIN
  -- Not for every comment, and once if the card is there already, because an upsert is an insert that becomes an update.
  IF TG_OP = 'UPDATE' THEN
    is_uncounted := OLD.words IS NOT DISTINCT FROM NEW.words AND (OLD.words IS NULL
      OR (NEW.card <> OLD.card AND current_setting('pennypost.counts_words', true) IS DISTINCT FROM 'on'));
  ELSE
    is_uncounted := NEW.words IS NULL AND NOT EXISTS (SELECT FROM catalog_cards WHERE post_id = NEW.post_id);
  END IF;
  IF is_uncounted THEN
    NEW.words := (SELECT count_words(free_text) + CASE WHEN has_paywall THEN paid_words ELSE 0 END
      FROM posts WHERE id = NEW.post_id);
  END IF;
  NEW.og_path := (SELECT og_path FROM post_uploads WHERE post_id = NEW.post_id);
  NEW.comment_count := coalesce((SELECT comment_count FROM post_figures WHERE post_id = NEW.post_id), 0);
  RETURN NEW;
END $$;
