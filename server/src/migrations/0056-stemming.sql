-- Words of public texts, for completing the last word of a search. `key` is what the catalog indexes for the word: the word
-- itself, or its stem in the language of a post. Words of paid texts are never here, so nobody can feel their way along them.
CREATE TABLE search_words (
  word text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  PRIMARY KEY (word, key)
);

-- Rows whose terms are words and not stems yet. They are still found by whole words; the job that brings the catalog up to date
-- indexes them again, in batches.
ALTER TABLE catalog ADD COLUMN is_stemmed boolean NOT NULL DEFAULT false;
CREATE INDEX catalog_unstemmed ON catalog (post_id) WHERE NOT is_stemmed;
