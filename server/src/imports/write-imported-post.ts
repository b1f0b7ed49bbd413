import { randomUUID } from 'node:crypto'
import type { ImportedPost } from '@pennypost/contract/imported-post'
import { importedPostEdited, slugTaken } from '@pennypost/contract/imports'
import type { Blocker } from '@pennypost/contract/me'
import type { PostInput } from '@pennypost/contract/post-fields'
import { publicationBlocked } from '@pennypost/contract/posts'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { indexPosts } from '../posts/catalog/catalog-store.ts'
import { emptyPost } from '../posts/create-post.ts'
import { requireDraftQuota } from '../posts/draft-quota.ts'
import { priceAfter } from '../posts/post-content.ts'
import { addPost, changePost, lockOwnPost, movePost, type PostChange, type PostRow } from '../posts/post-store.ts'
import { keepVersion } from '../posts/post-version-store.ts'
import { findBlockers } from '../posts/publication.ts'
import { replaceTags, tagsOfPosts } from '../posts/tag-store.ts'
import { requireStillPaid } from '../posts/update-post.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { nextRevision } from '../uploads/revision.ts'
import { contentHash } from './content-hash.ts'
import { findImportedPost, type ImportRow, saveImportedPost, takeImportQuota } from './import-store.ts'
import type { ImportServices } from './services.ts'

interface ImportRequest {
  readonly running: ImportRow
  readonly input: ImportedPost
  /** The input with defaults for fields that it leaves out. */
  readonly whole: PostInput
  readonly change: PostChange
  readonly origin: string
}

interface WriteResult {
  readonly outcome: 'created' | 'updated' | 'unchanged'
  readonly post: PostRow
  readonly blockers: Blocker[]
}

/**
 * Creates an imported post, or updates the one with the same source id. The account is locked. It becomes public without
 * the announcements of a publication: no notification, no email.
 */
export async function writeImportedPost(tx: Tx, services: ImportServices, wanted: ImportRequest): Promise<WriteResult> {
  const { running, input, origin } = wanted
  const accountId = running.account_id
  const known = await findImportedPost(tx, accountId, input.sourceId)
  const before = known && (await lockOwnPost(tx, accountId, known.post_id))
  if (known && before && !input.overwrite) {
    const isEdited = !contentHash(before, await tagNames(tx, before.id)).equals(known.content_hash)
    if (isEdited) refuse(importedPostEdited, { postId: before.id })
  }
  const saved = before ? await update(tx, services, wanted, before) : await create(tx, services, wanted)
  const isWanted = input.status === 'published' && saved.status === 'draft'
  const blockers = isWanted ? await findBlockers(tx, services, saved, origin) : []
  const post = isWanted && blockers.length === 0 ? (await movePost(tx, saved, 'publish', changedAt(input)))! : saved
  if (post.status === 'published') await indexPosts(tx, [post.id])
  if (post.status === 'draft') await requireDraftQuota(tx, services, accountId)
  const hash = contentHash(post, await tagNames(tx, post.id))
  await saveImportedPost(tx, {
    account_id: accountId,
    source_id: input.sourceId,
    post_id: post.id,
    fingerprint: input.fingerprint ?? null,
    content_hash: hash,
    imported_at: services.clock.now(),
  })
  const isUnchanged = before !== undefined && known!.content_hash.equals(hash) && before.status === post.status
  return { outcome: before ? (isUnchanged ? 'unchanged' : 'updated') : 'created', post, blockers }
}

/** The time of the last change on the old site, which readers see instead of today. */
const changedAt = ({ updatedAt, publishedAt }: ImportedPost): Date => new Date(updatedAt ?? publishedAt ?? 0)

async function create(
  tx: Tx,
  services: ImportServices,
  { running, input, whole, change }: ImportRequest,
): Promise<PostRow> {
  const now = services.clock.now()
  await takeImportQuota(tx, services, running, { posts: 1, files: 0, fileBytes: 0 })
  const id = randomUUID()
  if (input.slug !== undefined) await requireFreeSlug(tx, running.account_id, input.slug, id)
  const at = input.updatedAt ?? input.publishedAt
  const post = await addPost(tx, {
    ...emptyPost,
    ...change,
    ...priceAfter(whole, emptyPost),
    title: input.title,
    slug: input.slug ?? change.slug!,
    id,
    account_id: running.account_id,
    created_at: now,
    updated_us: nextRevision(0n, at === undefined ? now : new Date(at)).toString(),
    // Also of a draft: its date is known when something stops blocking it, and it is never announced as new.
    published_at: input.publishedAt === undefined ? null : new Date(input.publishedAt),
    imported_at: now,
  })
  await replaceTags(tx, running.account_id, id, whole.tags ?? [], now)
  return post
}

async function update(
  tx: Tx,
  services: ImportServices,
  { running, input, whole, change, origin }: ImportRequest,
  before: PostRow,
): Promise<PostRow> {
  const { slug: _, ...columns } = change
  const price = priceAfter(whole, emptyPost)
  const after = { ...before, ...columns, ...price }
  const tags = await tagNames(tx, before.id)
  if (contentHash(before, tags).equals(contentHash(after, whole.tags ?? []))) return before
  await keepVersion(tx, before, 'edit')
  // The date of a publication and the slug stay: links lead there, and readers have seen the date.
  const changed = await changePost(tx, before, { ...columns, ...price, written_by_key: null }, changedAt(input))
  await replaceTags(tx, running.account_id, before.id, whole.tags ?? [], services.clock.now())
  const uploads = (await uploadsOfPosts(tx, [before.id])).get(before.id)!
  if (uploads.active_count > 0) requireStillPaid(before, changed)
  if (changed.status !== 'published') return changed
  const known = new Set((await findBlockers(tx, services, before, origin)).map(({ field }) => field))
  const errors = (await findBlockers(tx, services, changed, origin))
    .filter(({ field }) => !known.has(field))
    .map(({ code, field, message }) => ({ field, code, message }))
  if (errors.length > 0) refuse(publicationBlocked, { errors })
  return changed
}

/** A slug that another post of the account has or had would lead readers to the wrong post. */
async function requireFreeSlug(tx: Tx, accountId: string, slug: string, postId: string): Promise<void> {
  const { rows } = await sql`
    SELECT FROM post_slugs WHERE account_id = ${accountId} AND slug = ${slug} AND post_id <> ${postId}`.execute(tx)
  if (rows.length > 0) refuse(slugTaken)
}

const tagNames = async (tx: Tx, postId: string): Promise<string[]> =>
  (await tagsOfPosts(tx, [postId])).get(postId)!.map(({ name }) => name)
