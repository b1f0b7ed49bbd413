-- Finds the posts that an older renderer rendered.
CREATE INDEX posts_by_renderer ON posts (renderer_version, id);
