-- The words of titles and descriptions, for related posts. The search terms of a post have them too, among thousands of others and
-- outside the row. A row is made when it is first needed, so nothing has to be written for the posts of today.
CREATE TABLE related_terms (
  post_id uuid PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
  -- What a post must have in its title or description to be related: the words of this title, in all their forms.
  title bigint[] NOT NULL,
  -- The words of the title and the description, by which other posts find this one.
  described bigint[] NOT NULL
);

CREATE FUNCTION forget_related_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM related_terms WHERE post_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_related_terms AFTER UPDATE OF title, description, language ON posts FOR EACH ROW
  WHEN ((OLD.title, OLD.description, OLD.language) IS DISTINCT FROM (NEW.title, NEW.description, NEW.language))
  EXECUTE FUNCTION forget_related_terms();
