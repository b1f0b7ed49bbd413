import { isReservedHandle } from '@pennypost/contract/handle'
import type pg from 'pg'
import { accountOfHandle } from '../accounts/account-of-handle.ts'
import { type ProfileRow, profileColumns } from '../accounts/caller-account.ts'
import type { Listed } from '../discovery/card-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

const creatorByHandle: Statement<ProfileRow> = {
  name: 'site-creator-by-handle',
  text: `SELECT ${profileColumns} FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id
    WHERE a.id = ${accountOfHandle('$1')}`,
}

/** Finds a creator by handle, also one that they had before. Accounts with a generated handle have no public page yet. */
export const findCreator = async (pool: pg.Pool, handle: string): Promise<ProfileRow | undefined> =>
  isReservedHandle(handle) ? undefined : (await readRows(pool, creatorByHandle, [handle]))[0]

export interface PublicTag {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly account_id: string
  readonly creator_name: string
  readonly handle: string
}

// A tag is public while a published post has it. Finding one is enough; counting would read the whole collection.
const publicTag = (name: string, which: string): Statement<PublicTag> => ({
  name: `site-public-tag-${name}`,
  text: `SELECT tag.id, tag.name, tag.slug, tag.account_id, account.name AS creator_name, account.handle
    FROM tags tag JOIN accounts account ON account.id = tag.account_id
    JOIN LATERAL (SELECT FROM post_tags JOIN posts post ON post.id = post_tags.post_id
      WHERE post_tags.tag_id = tag.id AND post.status = 'published' LIMIT 1) member ON true
    WHERE ${which}`,
})
const publicTagById = publicTag('by-id', 'tag.id = $1')
const publicTagBySlug = publicTag('by-slug', `account.id = ${accountOfHandle('$1')} AND tag.slug = $2`)

export const findPublicTag = async (pool: pg.Pool, id: string): Promise<PublicTag | undefined> =>
  (await readRows(pool, publicTagById, [id]))[0]

/** Slugs are lower case, however the URL spells them. */
export const findPublicTagBySlug = async (
  pool: pg.Pool,
  handle: string,
  slug: string,
): Promise<PublicTag | undefined> => (await readRows(pool, publicTagBySlug, [handle, slug.toLowerCase()]))[0]

const tagName: Statement<{ name: string }> = {
  name: 'site-tag-name',
  text: `SELECT tag.name FROM tags tag
    JOIN LATERAL (SELECT FROM post_tags JOIN posts post ON post.id = post_tags.post_id
      WHERE post_tags.tag_id = tag.id AND post.status = 'published' LIMIT 1) member ON true
    WHERE tag.slug = $1 ORDER BY tag.created_at, tag.id LIMIT 1`,
}

/** The name of the tag with this slug, as its first creator spelled it. Undefined if no published post has it. */
export const findTagName = async (pool: pg.Pool, slug: string): Promise<string | undefined> =>
  (await readRows(pool, tagName, [slug]))[0]?.name

const taggedPosts: Statement<Listed> = {
  name: 'site-tagged-posts',
  text: `SELECT catalog.post_id, catalog.stamp FROM catalog
    WHERE catalog.post_id IN (SELECT post_tags.post_id FROM tags JOIN post_tags ON post_tags.tag_id = tags.id WHERE tags.slug = $1)
    ORDER BY catalog.published_at DESC, catalog.post_id DESC LIMIT $2 OFFSET $3`,
}

/** The published posts of all creators with this tag, newest first. */
export const listTaggedPosts = (pool: pg.Pool, slug: string, limit: number, offset: number): Promise<Listed[]> =>
  readRows(pool, taggedPosts, [slug, limit, offset])
