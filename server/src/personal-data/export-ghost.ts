import { sql } from 'kysely'
import { findAccount } from '../accounts/account-store.ts'
import { resolveImages } from '../posts/markdown/images.ts'
import { findOwnPost, type PostRow } from '../posts/post-store.ts'
import { tagsOfPosts } from '../posts/tag-store.ts'
import { imageUrls } from '../uploads/image-view.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { postIds, updatedAt } from './export-posts.ts'
import type { ExportRequest } from './exported-file.ts'
import type { PersonalDataServices } from './services.ts'

/** The version of Ghost whose import format this is. */
const version = '6.0.0'

/**
 * The posts as Ghost imports them: HTML, with the paid part after the comment at which Ghost cuts posts for members. Written
 * post by post; what refers to posts comes after all of them.
 */
export async function* ghostPosts(
  { db }: Pick<PersonalDataServices, 'db'>,
  { accountId, origin, startedAt }: ExportRequest,
): AsyncGenerator<string> {
  const author = await findAccount(db, accountId)
  yield `{"db":[{"meta":${JSON.stringify({ exported_on: startedAt.getTime(), version })},"data":{"posts":[\n`
  const links: { post_id: string; tag_id: string; sort_order: number }[] = []
  const written: string[] = []
  let separator = ''
  for await (const id of postIds(db, accountId)) {
    const post = await findOwnPost(db, accountId, id)
    if (!post) continue
    const [tags, uploads] = await Promise.all([tagsOfPosts(db, [id]), uploadsOfPosts(db, [id])])
    const { og_path: cover, image_paths } = uploads.get(id)!
    const urls = imageUrls(image_paths, origin)
    yield `${separator}${JSON.stringify(ghostPost(post, urls, cover === null ? null : origin + cover))}`
    separator = ',\n'
    written.push(id)
    links.push(...tags.get(id)!.map(({ id: tag_id }, sort_order) => ({ post_id: id, tag_id, sort_order })))
  }
  const { rows: tags } = await sql<{ id: string; name: string; slug: string }>`
    SELECT id, name, slug FROM tags WHERE account_id = ${accountId} ORDER BY id`.execute(db)
  const user = { id: accountId, name: author?.name ?? '', slug: author?.handle.toLowerCase() ?? '' }
  yield `\n],"tags":${JSON.stringify(tags)},"posts_tags":${JSON.stringify(links)},"users":${JSON.stringify([user])}`
  const authors = written.map((post_id) => ({ post_id, author_id: accountId, sort_order: 0 }))
  yield `,"posts_authors":${JSON.stringify(authors)}}}]}\n`
}

function ghostPost(post: PostRow, urlOf: (key: string) => string | undefined, cover: string | null) {
  const isPaid = post.has_paywall && post.paid_html !== ''
  const html = isPaid ? `${post.free_html}\n<!--members-only-->\n${post.paid_html}` : post.free_html
  return {
    id: post.id,
    uuid: post.id,
    title: post.title,
    slug: post.slug,
    html: resolveImages(html, urlOf),
    comment_id: post.id,
    feature_image: cover,
    type: 'post',
    status: post.status === 'published' ? 'published' : 'draft',
    visibility: post.has_paywall ? 'paid' : 'public',
    created_at: post.created_at.toISOString(),
    updated_at: updatedAt(post).toISOString(),
    published_at: post.published_at?.toISOString() ?? null,
    custom_excerpt: post.description === '' ? null : post.description,
    canonical_url: post.canonical_url,
  }
}
