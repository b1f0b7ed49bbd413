-- Whether the words of a paid text help readers find the post. Its author can switch that off.
ALTER TABLE posts ADD COLUMN search_paid_content boolean NOT NULL DEFAULT true;

-- Numbers and punctuation of paid texts are no longer indexed: literal queries could be used to read them out.
INSERT INTO catalog_stale SELECT id FROM posts WHERE status = 'published' AND paid_text <> '' ORDER BY id
ON CONFLICT (post_id) DO UPDATE SET is_standing_only = false;
