import type pg from 'pg'
import { fold } from '../posts/catalog/search-terms.ts'

export interface Suggestion {
  readonly kind: 'post' | 'creator' | 'tag'
  readonly id: string
  /** The title of a post, or the name of a creator or tag. */
  readonly label: string
  /** The handle of a creator, or of the author of a post. */
  readonly handle: string | null
  /** The slug of a post or tag. */
  readonly slug: string | null
  readonly avatar_url: string | null
}

/**
 * How many matches of each kind are compared. A beginning of one letter can match most of all posts; ranking a part of
 * them is enough, because a reader who wants another one types on.
 */
const maxCandidates = 500

// A word starts with the text, or the words are similar by their trigrams. Both are answered by a trigram index, which
// has the same expressions (migrations 0044 and 0049).
const matches = (text: string): string => `(${text} LIKE $2 OR ${text} LIKE $3 OR $1 <% ${text})`

const ranked = (text: string): string =>
  `(${text} LIKE $2 OR ${text} LIKE $3) DESC, word_similarity($1, ${text}) DESC, length(${text})`

const title = 'fold_text(title)'
const person = "fold_text(name || ' ' || handle)"
const tag = 'fold_text(name)'

export const suggestionsSql = `
  (SELECT 'post' AS kind, post.id, title AS label, handle, slug, NULL AS avatar_url
   FROM (SELECT id, account_id, title, slug FROM (
       SELECT id, account_id, title, slug, ${title} AS text FROM posts
       WHERE status = 'published' AND ${matches(title)} LIMIT ${maxCandidates}) found
     ORDER BY ${ranked('text')}, id LIMIT $4) post
   JOIN accounts ON accounts.id = post.account_id)
  UNION ALL
  (SELECT 'creator', creator.id, creator.name, creator.handle, NULL, profile.avatar_url
   FROM (SELECT found.id, name, handle FROM (
       SELECT id, name, handle, ${person} AS text FROM accounts
       WHERE has_published AND NOT is_anonymous AND suspended_at IS NULL AND NOT starts_with(handle, 'user_')
         AND ${matches(person)}
       LIMIT ${maxCandidates}) found
     -- Whether a post is still public: the next one in the order of an index. With EXISTS or "account_id = found.id" the
     -- planner may scan all posts for each person, because it expects to find one soon.
     CROSS JOIN LATERAL (
       SELECT posts.account_id FROM posts WHERE posts.account_id >= found.id AND posts.status = 'published'
       ORDER BY posts.account_id, posts.published_at DESC, posts.id DESC LIMIT 1) next_post
     WHERE next_post.account_id = found.id
     ORDER BY ${ranked('text')}, found.id LIMIT $4) creator
   LEFT JOIN profiles profile ON profile.account_id = creator.id)
  UNION ALL
  (SELECT 'tag', id, name, NULL, slug, NULL
   FROM (SELECT DISTINCT ON (slug) id, name, slug, text FROM (
       SELECT id, name, slug, ${tag} AS text FROM tags
       WHERE ${matches(tag)} AND EXISTS (SELECT FROM post_tags JOIN posts ON posts.id = post_tags.post_id
         WHERE post_tags.tag_id = tags.id AND posts.status = 'published')
       LIMIT ${maxCandidates}) found
     ORDER BY slug, id) distinct_tags
   ORDER BY ${ranked('text')}, id LIMIT $4)`

/** Finds what a text may mean, the best of each kind first. */
export async function findSuggestions(pool: pg.Pool, text: string, limit: number): Promise<Suggestion[]> {
  const folded = fold(text)
    .replace(/^@/, '')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
  const { rows } = await pool.query<Suggestion>(suggestionsSql, suggestionValues(folded, limit))
  return rows
}

export function suggestionValues(folded: string, limit: number): unknown[] {
  const escaped = folded.replaceAll(/[\\%_]/g, '\\$&')
  return [folded, `${escaped}%`, `% ${escaped}%`, limit]
}
