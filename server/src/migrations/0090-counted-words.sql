-- A process that writes a card says how many words the post has, because counting them here takes longer than everything else about a card.
-- Processes of the version before say nothing. A card that changes while its words stay the same looks like theirs, so it is counted here.

-- Spaces are listed, because what \s means depends on the locale of the database: a process has to count the same.
CREATE OR REPLACE FUNCTION count_words(given text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN regexp_count(given,
    '[^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u2010-\u203a\u3001-\u303f\uff01-\uff0f][^\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*');

CREATE OR REPLACE FUNCTION describe_card() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_uncounted boolean;
BEGIN
  -- Not for every comment, and once if the card is there already, because an upsert is an insert that becomes an update.
  IF TG_OP = 'UPDATE' THEN
    is_uncounted := OLD.words IS NOT DISTINCT FROM NEW.words AND (OLD.words IS NULL OR NEW.card <> OLD.card);
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
