import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'

const replacement: Statement<{ readonly before: string | null }> = {
  name: 'replace-link-card',
  text: `WITH before AS (SELECT version FROM link_cards WHERE post_id = $1)
    INSERT INTO link_cards (post_id, version) VALUES ($1, $2) ON CONFLICT (post_id) DO UPDATE SET version = excluded.version
    RETURNING (SELECT version FROM before) AS before`,
}

/** Records which card of a post is stored. Returns the one before, if there was one. */
export const replaceLinkCard = async (pool: pg.Pool, postId: string, version: string): Promise<string | undefined> =>
  (await readRows(pool, replacement, [postId, version]))[0]?.before ?? undefined
