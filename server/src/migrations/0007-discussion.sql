-- Comments on Posts, in threads of two levels.
CREATE TABLE comments (
  id uuid PRIMARY KEY,
  post_id uuid NOT NULL REFERENCES posts,
  author_id uuid NOT NULL REFERENCES accounts,
  -- A root's is its own id.
  thread_root_id uuid NOT NULL REFERENCES comments,
  reply_target_id uuid REFERENCES comments,
  content text NOT NULL,
  -- [{profileId, handle}], as they were when it was written.
  mentions jsonb NOT NULL DEFAULT '[]',
  -- No two of one Post have the same, and whatever is committed later is later (decision 14).
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  deleted_by_role text CHECK (deleted_by_role IN ('author', 'post_owner', 'admin')),
  -- Replies that are not deleted; of a root.
  reply_count integer NOT NULL DEFAULT 0 CHECK (reply_count >= 0),
  thumbs_up integer NOT NULL DEFAULT 0 CHECK (thumbs_up >= 0),
  heart integer NOT NULL DEFAULT 0 CHECK (heart >= 0),
  fire integer NOT NULL DEFAULT 0 CHECK (fire >= 0),
  clap integer NOT NULL DEFAULT 0 CHECK (clap >= 0),
  tip_total_raw numeric(39, 0) NOT NULL DEFAULT 0 CHECK (tip_total_raw >= 0),
  CHECK ((deleted_at IS NULL) = (deleted_by_role IS NULL)),
  CHECK ((thread_root_id = id) = (reply_target_id IS NULL))
);
CREATE UNIQUE INDEX comments_of_post ON comments (post_id, created_at);
CREATE INDEX comments_of_thread ON comments (thread_root_id, created_at);

-- When the last Comment was written: the next one is later. The row is the lock under which a Post's Comments get their order.
ALTER TABLE post_figures ADD COLUMN last_comment_at timestamptz;

-- Who commented on a Post since when, and how many of those are not deleted: the watchers.
CREATE TABLE post_commenters (
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  first_at timestamptz NOT NULL,
  comment_count integer NOT NULL CHECK (comment_count >= 0),
  PRIMARY KEY (post_id, account_id)
);

-- How far the news of a Comment got, in the order of recipients. No row: everybody was told.
CREATE TABLE comment_news (
  comment_id uuid PRIMARY KEY REFERENCES comments ON DELETE CASCADE,
  told_through uuid
);

CREATE TABLE post_reactions (
  post_id uuid NOT NULL REFERENCES posts ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  reaction text NOT NULL CHECK (reaction IN ('thumbs_up', 'heart', 'fire', 'clap')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (post_id, account_id)
);
CREATE INDEX post_reactors ON post_reactions (post_id, reaction, created_at DESC, account_id);

CREATE TABLE comment_reactions (
  comment_id uuid NOT NULL REFERENCES comments ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  reaction text NOT NULL CHECK (reaction IN ('thumbs_up', 'heart', 'fire', 'clap')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (comment_id, account_id)
);
CREATE INDEX comment_reactors ON comment_reactions (comment_id, reaction, created_at DESC, account_id);

-- What people hold against a Post, or against a Comment under it.
CREATE TABLE reports (
  id uuid PRIMARY KEY,
  reporter_id uuid NOT NULL REFERENCES accounts,
  post_id uuid NOT NULL REFERENCES posts,
  comment_id uuid REFERENCES comments,
  reason text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'dismissed', 'upheld')),
  created_at timestamptz NOT NULL,
  decision text CHECK (decision IN ('dismiss', 'remove_comment', 'withdraw_post')),
  note text,
  decided_at timestamptz,
  decided_by uuid REFERENCES accounts,
  CHECK ((state = 'open') = (decided_at IS NULL)),
  CHECK ((decided_at IS NULL) = (decision IS NULL)),
  CHECK ((decided_at IS NULL) = (decided_by IS NULL))
);
-- One account has one open report of one thing. What was decided does not stand in the way of a new one.
CREATE UNIQUE INDEX reports_of_post ON reports (post_id, reporter_id) WHERE comment_id IS NULL AND state = 'open';
CREATE UNIQUE INDEX reports_of_comment ON reports (comment_id, reporter_id)
  WHERE comment_id IS NOT NULL AND state = 'open';
CREATE INDEX reports_of_target ON reports (post_id, comment_id);
CREATE INDEX reports_queue ON reports (state, created_at, id);

-- Taken down by an administrator: its author cannot publish it again.
ALTER TABLE posts ADD COLUMN withdrawn_by_admin_at timestamptz;

-- What administrators did. Only ever added to.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  actor_id uuid NOT NULL REFERENCES accounts,
  act text NOT NULL,
  target_kind text NOT NULL,
  target_id uuid NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only ever added to', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Words of names, to find people by how one begins; guests are not found. Collation "C" makes a beginning a range of the index; case is
-- folded by Unicode's rules whatever the database's own collation is.
CREATE TABLE name_words (
  word text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  PRIMARY KEY (word, account_id)
);
CREATE INDEX name_words_of_account ON name_words (account_id);
CREATE INDEX accounts_handle_beginning ON accounts ((lower(handle)) COLLATE "C") WHERE NOT is_anonymous;

-- A sigma is a sigma, at the end of a word or not: what somebody types is the beginning of one.
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(lower(normalize($1, NFC) COLLATE "und-x-icu"), 'ς', 'σ');

-- Between words stand spaces, punctuation and signs; an underscore belongs to its word.
CREATE FUNCTION words_of(text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT word
  FROM regexp_split_to_table(folded($1), '((?!_)[[:space:][:punct:]$+<=>^`|~\u2190-\u2bff\U0001f000-\U0001faff])+') word
  WHERE word <> ''
$$;

CREATE FUNCTION keep_name_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM name_words WHERE account_id = NEW.id;
  INSERT INTO name_words (word, account_id) SELECT word, NEW.id FROM words_of(NEW.name) word WHERE NOT NEW.is_anonymous;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_name_words AFTER INSERT OR UPDATE OF name, is_anonymous ON accounts
  FOR EACH ROW EXECUTE FUNCTION keep_name_words();
INSERT INTO name_words (word, account_id)
  SELECT word, accounts.id FROM accounts, words_of(accounts.name) word WHERE NOT is_anonymous;
