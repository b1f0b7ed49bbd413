-- The threads of a post, newest first and by the number of reactions.
CREATE INDEX newest_threads ON comments (post_id, created_at) WHERE thread_root_id = id;
CREATE INDEX popular_threads ON comments (post_id, (thumbs_up + heart + fire + clap), created_at) WHERE thread_root_id = id;
